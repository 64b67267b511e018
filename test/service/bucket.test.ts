import type { RequestListener } from "node:http";
import { Bucket } from "../../provider/src/service/bucket";
import { Journal } from "../../provider/src/service/journal/journal";
import { journalInBucket } from "../../provider/src/service/journal/open";
import { aboutNote, marker, noteFile } from "../../provider/src/service/journal/note";
import { Seal } from "../../provider/src/service/seal";
import { parseStorage } from "../../provider/src/rules/storage";
import { journalIn } from "../support/journal";
import { serve } from "../support/serve";
import { fakeClock } from "../support/service";

/** Whoever runs the bucket, or can write it, must not decide how long a run waits and how much it keeps in memory. */

Object.assign(process.env, { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "s" });

/** The client is loaded once, before the time of any call is measured. */
beforeAll(() => import("@aws-sdk/client-s3"));

const keyOf = (index: number) => index.toString(16).padStart(32, "0");
const sentAtMs = 1_800_000_000_000;
const seal = new Seal("k").close(JSON.stringify({ id: "svc-a" }), aboutNote(keyOf(0), sentAtMs));
const note = JSON.stringify({ note: marker, sentAtMs, seal });

/** A journal in a bucket whose server lists these notes, and answers the others as `listener` does. */
async function journalAt(notes: number | "refused", listener: RequestListener, more = "", requestTimeoutMs = 1000) {
  const { url, requests } = await serve((request, response) => {
    if (notes === "refused" || !/list-type=2/.test(request.url ?? "")) return listener(request, response);
    const keys = Array.from(
      { length: notes },
      (_, index) => `<Contents><Key>j/${noteFile(keyOf(index))}</Key></Contents>`,
    );
    response.end(`<ListBucketResult>${keys.join("")}${more}</ListBucketResult>`);
  });
  const place = `s3://notes/j?endpoint=${encodeURIComponent(url)}&s3ForcePathStyle=true&region=eu-central-1`;
  const storage = parseStorage(place);
  if (!("bucket" in storage)) throw new Error("no bucket");
  const bucket = new Bucket(storage.bucket, { requestTimeoutMs, maxRetries: 0, programFolder: __dirname });
  const warnings: string[] = [];
  const clock = fakeClock(1_800_000_000_000);
  const journal = new Journal(journalInBucket(bucket), clock, (line) => warnings.push(line), { apiKey: "k" });
  return { journal, bucket, warnings, requests };
}

test("a note that trickles or never ends hides no other, and its own request is asked about", async () => {
  let sent = 0;
  const { journal, warnings } = await journalAt(3, ({ url = "" }, response) => {
    if (url.includes(keyOf(0))) return response.end(note);
    const part = url.includes(keyOf(1)) ? "." : ".".repeat(100_000);
    const timer = setInterval(() => {
      sent += part.length;
      response.write(part);
    }, 5);
    response.once("close", () => clearInterval(timer));
  });
  expect(await journal.find(keyOf(0))).toMatchObject({ id: "svc-a" });
  const unproven = { sentAtMs, unproven: true };
  expect([await journal.find(keyOf(1)), await journal.find(keyOf(2))]).toEqual([unproven, unproven]);
  expect(await journal.find(keyOf(3))).toBeUndefined();
  expect(warnings).toEqual([expect.stringMatching(/^some notes of the journal can't be read/)]);
  expect(sent).toBeLessThan(2_000_000);
});

test.each([
  ["never ends", 1000, "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"],
  ["is empty and never ends", 0, "<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"],
  ["names too many notes", 50_001, ""],
])("a list of notes that %s is a warning, and the note of a request is read by its name", async (_, notes, more) => {
  const { journal, warnings, requests } = await journalAt(notes, (__, response) => response.end(note), more);
  expect(await journal.find(keyOf(0))).toMatchObject({ id: "svc-a" });
  expect(warnings).toEqual([expect.stringMatching(/^the journal can't be read/)]);
  expect(requests.every(({ url = "" }) => /prefix=j%2Fcloudvoice-|\/j\/cloudvoice-0+\.json/.test(url))).toBe(true);
});

test.each([
  ["AccessDenied", 403, 3],
  ["SlowDown", 503, 2],
])(
  "a bucket that answers everything with %s is asked for single notes only while that can help",
  async (code, status, most) => {
    const { journal, warnings, requests } = await journalAt("refused", (_, response) => {
      response.writeHead(status, { "content-type": "application/xml" }).end(`<Error><Code>${code}</Code></Error>`);
    });
    expect([await journal.find(keyOf(0)), await journal.find(keyOf(1))]).toEqual([undefined, undefined]);
    expect(warnings).toEqual([expect.stringMatching(/^the journal can't be read/)]);
    expect(requests).toHaveLength(most);
  },
);

test("objects beside the notes do not count as notes", async () => {
  const others = Array.from({ length: 50_001 }, (_, index) => `<Contents><Key>j/cloudvoice-${index}</Key></Contents>`);
  const { journal, warnings } = await journalAt(1, (_, response) => response.end(note), others.join(""), 600_000);
  expect(await journal.find(keyOf(0))).toMatchObject({ id: "svc-a" });
  expect(warnings).toEqual([]);
});

test("a note that is too long is written without its answers, and then a person is asked before it is paid for again", async () => {
  const written: string[] = [];
  const { journal } = await journalAt(0, (request, response) => {
    let body = "";
    request
      .on("data", (data: Buffer) => (body += data.toString()))
      .on("end", () => {
        written.push(body);
        response.end();
      });
  });
  await journal.write(keyOf(0), { sentAtMs: 1, id: "d", result: "x".repeat(270_000) });
  expect(written.map((text) => JSON.parse(text) as object)).toEqual([
    { note: "pulumi-cloudvoice journal", sentAtMs: 1, seal: expect.any(String) as string },
  ]);
  expect(await journal.find(keyOf(0))).toMatchObject({ result: "x".repeat(270_000) });
  const clock = { now: () => 1, sleep: () => Promise.resolve() };
  const next = new Journal(journalIn(new Map([[keyOf(0), written.join()]])), clock, () => undefined, { apiKey: "k" });
  expect(await next.find(keyOf(0))).toEqual({ sentAtMs: 1, id: "d", isUnread: true });
});
