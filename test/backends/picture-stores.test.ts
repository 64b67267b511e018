import { readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { type Gateway, startGateway } from "../support/gateway";
import { newOperation } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";

/** The life cycle of an image in this process, against a real S3 server: a store that fails costs no task. */

let gateway: Gateway;
let emulator: Emulator;
inProgramFolder();
const environment = { ...process.env };
beforeAll(async () => {
  gateway = await startGateway();
  gateway.createBucket("pictures");
});
beforeEach(async () => {
  emulator = await emulate();
  Object.assign(process.env, gateway.credentials);
});
afterEach(() => {
  process.env = { ...environment };
});

const inputs = (place: string, of = gateway): Props => ({
  model: "svc-image",
  prompt: "A whale",
  size: "64*48",
  label: "cover-863a1b2c3d4e5f60",
  saveTo: of.url(place),
});
/** The name of the file, which contains the hash of its content. */
const nameIn = (outs: Props = {}) => basename(String((outs.images as { file?: string }[])[0]?.file));
const submissions = () => emulator.summary().tasks;
const none: ReadonlySet<string> = new Set();

/** How a call failed, and everything that a person or the state gets to see of it. */
async function failureOf(work: (operation: ReturnType<typeof newOperation>) => Promise<unknown>) {
  const operation = newOperation(emulator);
  const error = await work(operation).then(
    () => {
      throw new Error("The call succeeded.");
    },
    (thrown: unknown) => thrown as Error & { id?: string; outs?: Props },
  );
  const seen = JSON.stringify([error.message, error.stack, error.outs, operation.lines]);
  for (const credential of ["canary", gateway.credentials.AWS_ACCESS_KEY_ID]) expect(seen).not.toContain(credential);
  return error;
}

test.each<[what: string, change: () => void, place: string, why: RegExp]>([
  [
    "a wrong secret key",
    () => (process.env.AWS_SECRET_ACCESS_KEY = "another-canary"),
    "pictures/a",
    /refused the credentials \(HTTP 403, SignatureDoesNotMatch\)\. Set AWS_ACCESS_KEY_ID/,
  ],
  ["an unknown key", () => (process.env.AWS_ACCESS_KEY_ID = "canary"), "pictures/a", /object store could not be used/],
  ["no key", () => delete process.env.AWS_ACCESS_KEY_ID, "pictures/a", /there are no credentials for the object store/],
  ["a bucket that is missing", () => undefined, "elsewhere/a", /the bucket does not exist .*Create the bucket/],
])("%s is found before the task is submitted, and costs none", async (_, change, place, why) => {
  change();
  const error = await failureOf(({ image }) => image.create(inputs(place)));
  expect(error.message).toMatch(/^saving the picture to saveTo failed: /);
  expect(error.message).toMatch(why);
  expect(error.outs).toBeUndefined();
  expect(submissions()).toBe(0);
});

test("a bucket that refuses the write keeps the task, and the next run saves the same picture", async () => {
  const readOnly = await gateway.readOnly();
  const { id, outs, message } = await failureOf(({ image }) => image.create(inputs("pictures/refused", readOnly)));
  expect(message).toMatch(/saving the picture to saveTo failed: .*\[task \S+: kept, and not submitted again\]/);

  const next = inputs("pictures/refused");
  const { image } = newOperation(emulator);
  expect((await image.diff(String(id), outs ?? {}, next, none)).replaces).toEqual([]);
  const { outs: whole } = await image.update(String(id), outs ?? {}, next);
  const name = nameIn(whole);
  expect(whole).toMatchObject({ taskId: id, images: [{ file: `s3://pictures/refused/${name}`, width: 64 }] });
  expect(gateway.keys("pictures")).toContain(`refused/${name}`);
  expect(submissions()).toBe(1);
});

test("a refresh fetches a missing object while its URL lives; else, and if the store can't be asked, it is one warning", async () => {
  const news = inputs("pictures/refresh");
  const { id, outs } = await newOperation(emulator).image.create(news);
  const name = nameIn(outs);
  const key = `refresh/${name}`;
  gateway.remove("pictures", key);
  const restored = newOperation(emulator);
  expect(await restored.image.read(id, outs)).toEqual(outs);
  expect(restored.lines).toEqual([`cloudvoice: cover: ${name} was missing and is saved again`]);
  expect(gateway.keys("pictures")).toContain(key);

  gateway.remove("pictures", key);
  const over = { ...outs, expiresAt: new Date(Date.now() - 1000).toISOString() };
  const calls = emulator.ledger().length;
  const missing = newOperation(emulator);
  expect(await missing.image.read(id, over)).toEqual(over);
  expect(missing.lines).toEqual([
    expect.stringMatching(
      /^cloudvoice: warning: cover: cover-1-\S+ is not in the bucket, and its URL has expired\. Nothing/,
    ),
  ]);

  process.env.AWS_SECRET_ACCESS_KEY = "another-canary";
  const refused = newOperation(emulator);
  expect(await refused.image.read(id, over)).toEqual(over);
  expect(refused.lines).toEqual([
    expect.stringMatching(/^cloudvoice: warning: cover: cover-1-\S+ was not checked\. .*refused access/),
  ]);
  expect(await refused.image.diff(id, over, news, none)).toEqual({ replaces: [], updates: false });
  expect(emulator.ledger()).toHaveLength(calls);
});

test("a changed saveTo moves no image and copies all: from a folder to a bucket and back, without the dead URL", async () => {
  const local = { ...inputs("x"), saveTo: "covers" };
  const { id, outs } = await newOperation(emulator).image.create(local);
  const name = nameIn(outs);
  const bytes = readFileSync(join("covers", name));
  emulator.advance(48 * 3600 * 1000);
  const calls = emulator.ledger().length;
  const { outs: stored } = await newOperation(emulator).image.update(id, outs, inputs("pictures/copied"));
  expect(stored.images).toEqual([expect.objectContaining({ file: `s3://pictures/copied/${name}` })]);
  rmSync("covers", { recursive: true });

  const { outs: back } = await newOperation(emulator).image.update(id, stored, { ...local, saveTo: "elsewhere" });
  expect(back.images).toEqual([expect.objectContaining({ file: `elsewhere/${name}` })]);
  expect(readFileSync(join("elsewhere", name)).equals(bytes)).toBe(true);
  expect(gateway.keys("pictures")).toContain(`copied/${name}`);
  expect(emulator.ledger()).toHaveLength(calls);
});

test("a refresh reports an object that was replaced by another of equal size, with a hash of its own", async () => {
  const news = inputs("pictures/replaced");
  const { id, outs } = await newOperation(emulator).image.create(news);
  const { bytes } = (outs.images as { bytes: number }[])[0]!;
  const url = new URL(gateway.url("pictures"));
  const client = new S3Client({
    ...{ region: "us-east-1", endpoint: url.searchParams.get("endpoint") ?? "", forcePathStyle: true },
  });
  const stranger = { Bucket: "pictures", Key: `replaced/${nameIn(outs)}`, Body: Buffer.alloc(bytes, 1) };
  await client.send(new PutObjectCommand({ ...stranger, ChecksumAlgorithm: "SHA256" }));
  const { image, lines } = newOperation(emulator);
  expect(await image.read(id, outs)).toEqual(outs);
  expect(lines).toEqual([expect.stringMatching(/warning: cover: cover-1-\S+ was changed in the bucket/)]);
  const elsewhere = await image.update(id, outs, inputs("pictures/replaced-and-moved"));
  expect((elsewhere.outs.images as object[])[0]).toMatchObject({
    sha256: (outs.images as { sha256: string }[])[0]!.sha256,
  });
});
