import { createHash } from "node:crypto";
import { pictureStore } from "../../provider/src/service/images/picture-store";
import { serve } from "../support/serve";

/** What a save does if the bucket does not say what lies there. `test/backends` has a whole server. */

Object.assign(process.env, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" });

const bytes = Buffer.from("bytes");
const checksum = createHash("sha256").update(bytes).digest("base64");

async function bucketThatAnswers(
  head: number,
  length = "0",
  { checksum = "", content = bytes, refusesChecksums = false } = {},
) {
  const { url, requests } = await serve((request, response) => {
    const isHead = request.method === "HEAD";
    const namesChecksum = Object.keys(request.headers).some((name) => name.startsWith("x-amz-checksum"));
    if (refusesChecksums && namesChecksum) response.writeHead(400).end();
    else if (request.method === "GET") response.writeHead(200).end(content);
    else
      response
        .writeHead(isHead ? head : 200, {
          ...(isHead && { "content-length": length }),
          ...(isHead && checksum && { "x-amz-checksum-sha256": checksum }),
        })
        .end();
  });
  const options = { requestTimeoutMs: 5000, maxRetries: 0, programFolder: __dirname };
  const place = `s3://pictures/covers?endpoint=${encodeURIComponent(url)}&s3ForcePathStyle=true&region=eu-central-1`;
  const store = pictureStore(place, options);
  const save = () => store.save(store.addressOf("cover.png"), bytes, "image/png");
  const sent = (wanted: string) => requests.filter(({ method }) => method === wanted);
  return { save, sent, writes: () => sent("PUT").length };
}

test.each([
  ["nothing lies there", 404, "0", true, 1],
  ["the key may not read", 403, "0", true, 1],
  ["the same lies there", 200, "5", true, 0],
  ["something else lies there", 200, "7", false, 0],
])(
  "%s: the picture is written only if it overwrites nothing that is known",
  async (_, head, length, saved, written) => {
    const { save, writes } = await bucketThatAnswers(head, length);
    expect(await save()).toBe(saved);
    expect(writes()).toBe(written);
  },
);

test.each([
  ["the hash that the bucket keeps differs", { checksum: Buffer.alloc(32).toString("base64") }, false, 0],
  ["the bucket keeps no hash, and the content differs", { content: Buffer.from("BYTES") }, false, 1],
  ["the bucket keeps no hash, and the content is the same", {}, true, 1],
  ["the hash is the same", { checksum }, true, 0],
])("a picture of equal size, where %s", async (_, answers, saved, read) => {
  const { save, sent, writes } = await bucketThatAnswers(200, "5", answers);
  expect([await save(), sent("GET").length, writes()]).toEqual([saved, read, 0]);
});

test("a picture is stored with its hash, also where the server refuses hashes", async () => {
  const { save, sent } = await bucketThatAnswers(404);
  expect(await save()).toBe(true);
  expect(sent("PUT").map(({ headers }) => headers["x-amz-checksum-sha256"])).toEqual([checksum]);
  const refusing = await bucketThatAnswers(404, "0", { refusesChecksums: true });
  expect(await refusing.save()).toBe(true);
  expect(refusing.sent("PUT").map(({ headers }) => headers["x-amz-checksum-sha256"])).toEqual([checksum, undefined]);
});

test.each([500, 503, 429, 400])("a bucket that answers with %i is not taken for an empty place", async (head) => {
  const { save, writes } = await bucketThatAnswers(head);
  await expect(save()).rejects.toThrow(/the object store could not be used/);
  expect(writes()).toBe(0);
});
