import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../provider/emulator";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { isNative, outputOf, said, Stack } from "../support/stack";
import { until } from "../support/until";

/**
 * An image is billed once, whatever happens after its submission. Here is what takes a real engine;
 * `test/pulumi/image-*.test.ts` has the rest.
 */

let emulator: Emulator;
let stack: Stack;
async function setUp(options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  stack = await Stack.create(emulator, {
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05",
    CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND: "50",
  });
}
const submissions = () => emulator.summary().tasks;
const dayMs = 24 * 3600 * 1000;

interface ImageEntry {
  id: string | undefined;
  outputs: { taskId: string; taskStatus: string; images: Record<string, unknown>[] };
}
/** The entry of an image in the state. */
async function entry(name = "cover"): Promise<ImageEntry | undefined> {
  return (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`)) as ImageEntry | undefined;
}

test("an image is submitted once, described and saved, and saved again by a refresh", async () => {
  await setUp({ finishAfterPolls: 2 });
  stack.program(`
    new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "64*48", n: 2,
      saveTo: "covers", promptExtend: true, watermark: false, negativePrompt: "" });`);
  await stack.ok(stack.up());
  const created = await entry();
  const { images = [], taskStatus, taskId } = created?.outputs ?? {};
  expect([taskStatus, taskId]).toEqual(["SUCCEEDED", created?.id]);
  expect(images).toHaveLength(2);
  for (const [index, each] of images.entries()) {
    const file = readFileSync(join(stack.folder, String(each.file)));
    expect(each).toMatchObject({
      contentType: "image/png",
      width: 64,
      height: 48,
      bytes: file.length,
      sha256: createHash("sha256").update(file).digest("hex"),
      actualPrompt: "A lighthouse, in detail",
    });
    expect(each.file).toMatch(new RegExp(`^covers/cover-${index + 1}-[0-9a-f]{12}\\.png$`));
  }
  const saved = readdirSync(join(stack.folder, "covers"));
  expect(saved).toHaveLength(2);

  // While the URLs are valid, a refresh downloads missing files again.
  rmSync(join(stack.folder, "covers"), { recursive: true });
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect(readdirSync(join(stack.folder, "covers"))).toEqual(saved);
  expect(submissions()).toBe(1);
});

test("Ctrl-C, pressed twice, keeps the task on this machine, and the next update goes on with it", async () => {
  await setUp({ finishAfterPolls: 1_000_000 });
  stack.program(`new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "64*48" });`);
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(child);
  await until(() => (emulator.summary().calls.poll ?? 0) >= 3);
  child.kill("SIGINT");
  await until(() => output().includes("press ^C again"));
  child.kill("SIGINT");
  expect((await done).code).not.toBe(0);
  emulator.setImages({ finishAfterPolls: 0 });
  await stack.pulumi("cancel", "--yes");
  const run = await stack.ok(stack.up());
  // A plugin is told of Ctrl-C, and then the state may have the task.
  if (!isNative()) expect(said(run, "goes on with the task")).toBe(1);
  expect([(await entry())?.outputs.taskStatus, submissions()]).toEqual(["SUCCEEDED", 1]);
});

test("--drift looks for each picture: it says which is missing or changed, and how each comes back for free", async () => {
  await setUp();
  const drift = async (...args: string[]) =>
    cloudvoice(stack.with({ CLOUDVOICE_IMAGE_PRICE: "0.04" }), ["review", "--drift", ...args]);
  stack.program(`
    for (const name of ["kept", "gone", "edited"])
      new cv.GeneratedImage(name, { model: "svc-image", prompt: name, size: "64*48", saveTo: "covers" });
    const prompt = pulumi.secret("hidden");
    new cv.GeneratedImage("hidden", { model: "svc-image", prompt, size: "64*48", saveTo: "secrets" });`);
  await stack.ok(stack.up());

  const fileOf = async (name: string) => String((await entry(name))?.outputs.images[0]?.file);
  const [gone, edited] = [await fileOf("gone"), await fileOf("edited")];
  rmSync(join(stack.folder, gone));
  writeFileSync(join(stack.folder, edited), "another");
  rmSync(join(stack.folder, "secrets"), { recursive: true });
  const found = await drift();
  expect(found.code).toBe(2);
  expect(found.stdout).toMatch(/3 pictures missing or changed/);
  expect(found.stdout).toMatch(
    new RegExp(`gone: ${gone} is missing; \`pulumi refresh\` fetches it again, free, until \\d{4}-\\d\\d-\\d\\dT`),
  );
  expect(found.stdout).toContain(
    `edited: ${edited} is changed, and is left as it is; move the file away, and \`pulumi refresh\` fetches it again, free`,
  );
  // The folder of a secret picture is not shown.
  expect(found.stdout).toMatch(/hidden: hidden-1-[0-9a-f]{12}\.png is missing/);
  expect(found.stdout).not.toContain("secrets/");
  emulator.advance(2 * dayMs);
  expect(JSON.parse((await drift("--json")).stdout)).toMatchObject({
    pictures: [
      { name: "edited", found: "changed" },
      { name: "gone", file: gone, found: "missing", price: 0.04 },
      { name: "hidden", found: "missing" },
    ],
  });
  expect(submissions()).toBe(4);
});
