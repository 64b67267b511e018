import { pictureStore } from "../../provider/src/service/images/picture-store";
import { serve } from "../support/serve";

/** What a save does if the bucket does not say what lies there. `test/backends` has a whole server. */

const environment = { ...process.env };
beforeEach(() => Object.assign(process.env, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" }));
afterEach(() => {
  process.env = { ...environment };
});

async function bucketThatAnswers(head: number, length = "0") {
  const { url, requests } = await serve((request, response) => {
    const isHead = request.method === "HEAD";
    response.writeHead(isHead ? head : 200, isHead ? { "content-length": length } : {}).end();
  });
  const options = { requestTimeoutMs: 5000, maxRetries: 0, programFolder: __dirname };
  const place = `s3://pictures/covers?endpoint=${encodeURIComponent(url)}&s3ForcePathStyle=true&region=eu-central-1`;
  const store = pictureStore(place, options);
  const save = () => store.save(store.addressOf("cover.png"), Buffer.from("bytes"), "image/png");
  return { save, writes: () => requests.filter(({ method }) => method === "PUT").length };
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

test.each([500, 503, 429, 400])("a bucket that answers with %i is not taken for an empty place", async (head) => {
  const { save, writes } = await bucketThatAnswers(head);
  await expect(save()).rejects.toThrow(/the object store could not be used/);
  expect(writes()).toBe(0);
});
