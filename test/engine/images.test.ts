import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
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

test("--drift names each missing picture, which a refresh saves again for free", async () => {
  await setUp();
  stack.program(`
    for (const name of ["kept", "gone"])
      new cv.GeneratedImage(name, { model: "svc-image", prompt: name, size: "64*48", saveTo: "covers" });
    const prompt = pulumi.secret("hidden");
    new cv.GeneratedImage("hidden", { model: "svc-image", prompt, size: "64*48", saveTo: "secrets" });`);
  await stack.ok(stack.up());
  const gone = String((await entry("gone"))?.outputs.images[0]?.file);
  rmSync(join(stack.folder, gone));
  rmSync(join(stack.folder, "secrets"), { recursive: true });

  const found = await cloudvoice(stack, ["review", "--drift", "--exit-code", "--format", "json"]);
  expect(found.code).toBe(2);
  const { changes } = JSON.parse(found.stdout) as { changes: { name: string; why: string }[] };
  // The preview has no file names of a secret picture, and the engine does not tell the classes which resource it is.
  expect(changes.map(({ name }) => name).sort()).toEqual(isNative() ? ["gone", "hidden"] : ["gone"]);
  const whyOf = (of: string) => changes.find(({ name }) => name === of)?.why;
  expect(whyOf("gone")).toBe(`missing: ${gone}; \`pulumi up --refresh\` saves it again while its URL works; free`);
  // A secret may be in the folder's name or in the prompt.
  expect(found.stdout).not.toContain("secrets/");
  // A plan changes nothing.
  expect(readdirSync(join(stack.folder, "covers"))).toHaveLength(1);
  expect(submissions()).toBe(3);
});
