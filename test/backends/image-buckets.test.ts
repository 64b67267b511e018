import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { transformSync } from "esbuild";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { root, temporaryFolder } from "../support/files";
import { type Gateway, startGateway } from "../support/gateway";
import { outputOf, said, Stack, typeOf } from "../support/stack";
import { until } from "../support/until";

/** Images, the journal and Pulumi's own state in the buckets of a real S3 server: nothing depends on one machine. */

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  for (const bucket of ["pictures", "state", "journal"]) gateway.createBucket(bucket);
});

/** A stack with its state in a bucket, and in that state only what the test puts there. */
const stackOn = (emulator: Parameters<typeof Stack.create>[0], place: string, settings: Record<string, string> = {}) =>
  Stack.create(emulator, {
    PULUMI_BACKEND_URL: gateway.url(`state/${place}`),
    CLOUDVOICE_JOURNAL: gateway.url(`journal/${place}`),
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05",
    ...gateway.credentials,
    ...settings,
  });

/** The object at the address that the state names, read by the vendor's own client. */
async function object(address: string) {
  const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(address) ?? [];
  const endpoint = new URL(gateway.url("x")).searchParams.get("endpoint") ?? "";
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = gateway.credentials;
  const client = new S3Client({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  const { Body, ContentType } = await client.send(new GetObjectCommand({ Bucket, Key }));
  return { contentType: ContentType, bytes: Buffer.from((await Body?.transformToByteArray()) ?? []) };
}

test("the recipe: pictures lie in the bucket, and on another machine nothing changes, even when their URLs are dead", async () => {
  const emulator = await emulate();
  const stack = await stackOn(emulator, "recipe");
  const recipe = readFileSync(join(root, "docs", "pipelines", "image.ts"), "utf8").replace(
    /size: "1328\*1328"/,
    `size: "64*48", n: 2`,
  );
  writeFileSync(join(stack.folder, "index.js"), transformSync(recipe, { loader: "ts", format: "cjs" }).code);
  await stack.ok(stack.pulumi("config", "set", "pictures", gateway.url("pictures/covers")));
  const first = await stack.ok(stack.up());
  const [task] = await stack.resources();
  expect(first.output).toContain(`cover: submitted as the task ${String(task?.id)}`);
  expect(first.output).not.toMatch(/kept nowhere|is a folder of this machine/);

  const { images, expiresAt } = task?.outputs as { images: Record<string, unknown>[]; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(23 * 3600 * 1000);
  expect(images).toHaveLength(2);
  for (const [index, { file, sha256 }] of images.entries()) {
    expect(file).toMatch(new RegExp(`^s3://pictures/covers/cover-${index + 1}-[0-9a-f]{12}\\.png$`));
    const { bytes, contentType } = await object(String(file));
    expect(contentType).toBe("image/png");
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(sha256);
  }
  expect(gateway.keys("pictures").map((key) => `s3://pictures/${key}`)).toEqual(images.map(({ file }) => file));
  const { stdout } = await stack.ok(stack.pulumi("stack", "output", "cover"));
  expect(stdout.trim()).toBe(images[0]?.file);
  // The journal need not remember a task once a later run has seen it in the state.
  await stack.ok(stack.preview("--expect-no-changes"));
  expect(gateway.keys("journal")).toEqual([]);

  emulator.advance(48 * 3600 * 1000);
  const calls = emulator.ledger().length;
  const elsewhere = await stack.elsewhere(temporaryFolder());
  await elsewhere.ok(elsewhere.up("--refresh", "--expect-no-changes"));
  expect(emulator.ledger()).toHaveLength(calls);
  expect(existsSync(join(elsewhere.folder, "s3:"))).toBe(false);

  const doctor = await cloudvoice(elsewhere, ["doctor"]);
  expect(doctor.stdout).toContain("can be written: s3://journal/recipe");
  expect(await elsewhere.state()).not.toContain(gateway.credentials.AWS_SECRET_ACCESS_KEY);

  await elsewhere.ok(elsewhere.destroy());
  expect(gateway.keys("pictures")).toHaveLength(2);
  expect(emulator.summary().tasks).toBe(1);
});

test("a state in S3: one of two runs is refused, a dead runner loses nothing, a name that was left is asked about", async () => {
  // The image keeps the first run waiting.
  const emulator = await emulate({ finishAfterPolls: 1_000_000 });
  const stack = await stackOn(emulator, "killed");
  const voice = (name: string, options = "") =>
    `new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav" }, { ${options} });`;
  const image = `new cv.GeneratedImage("cover", { model: "svc-image", prompt: "A lighthouse", size: "64*48" });`;
  const { child, done } = stack.program(voice("old") + image).start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(child);
  await until(() => (emulator.summary().calls.poll ?? 0) >= 3 && emulator.summary().voicesBilled === 1);
  const [, task] = /submitted as the task (\S+)/.exec(output()) ?? [];

  // Runner and disk are gone. The next runner has the state and the journal, which are in buckets.
  const next = await stack.elsewhere(temporaryFolder());
  expect((await next.up()).output).toMatch(/currently locked by 1 lock/);
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await done;
  await next.pulumi("cancel", "--yes");
  emulator.setImages({ finishAfterPolls: 0 });
  expect(said(await next.ok(next.up()), `goes on with the task ${String(task)}`)).toBe(1);
  expect((await next.resources()).map(({ id }) => id)).toContain(task);
  expect(emulator.summary()).toMatchObject({ tasks: 1, voicesBilled: 1 });

  const renamed = voice("ren", `aliases: [{ name: "old" }]`) + image;
  await next.ok(next.program(renamed).up());
  const urn = `urn:pulumi:dev::program::${typeOf("CloudVoice")}::old`;
  const run = await next.program(renamed + voice("old")).up("--target", urn);
  expect([run.code === 0, run.output]).toEqual([false, expect.stringContaining("CLOUDVOICE_ACCEPT=take-")]);
  expect(emulator.voices()).toHaveLength(1);
});
