import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { encodedLength } from "../../rules/audio";
import { InputError } from "../../errors";
import type { StreamedBody } from "../http";

interface CheckedFile {
  path: string;
  bytes: number;
  sha256: string;
}

/**
 * A body of `before`, the file in base64 and `after`, as a stream that never holds the whole file. If the file has
 * changed since it was checked, the stream fails before its end, so that the service never gets a complete request.
 */
export function encodedBody(before: string, file: CheckedFile, after: string): StreamedBody {
  return {
    stream: Readable.from(bodyChunks(before, file, after), { objectMode: false }),
    bytes: Buffer.byteLength(before) + encodedLength(file.bytes) + Buffer.byteLength(after),
  };
}

async function* bodyChunks(
  before: string,
  { path, bytes, sha256 }: CheckedFile,
  after: string,
): AsyncGenerator<string> {
  yield before;
  const hash = createHash("sha256");
  let rest = Buffer.alloc(0);
  let expectedBytes = bytes;
  for await (const data of fileChunks(path)) {
    const chunk = data as Buffer;
    expectedBytes -= chunk.length;
    // Stop before the body exceeds its Content-Length: undici would report that as a lost response.
    if (expectedBytes < 0) throw fileChanged();
    hash.update(chunk);
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // Base64 encodes groups of three bytes. An incomplete group waits for the next chunk.
    const encodable = joined.length - (joined.length % 3);
    // Copied, so that two bytes do not keep the whole chunk in memory.
    rest = Buffer.from(joined.subarray(encodable));
    if (encodable > 0) yield joined.toString("base64", 0, encodable);
  }
  if (hash.digest("hex") !== sha256) throw fileChanged();
  yield rest.toString("base64") + after;
}

async function* fileChunks(path: string): AsyncGenerator {
  try {
    yield* createReadStream(path, { highWaterMark: 192 * 1024 });
  } catch (error) {
    throw fileChanged(error);
  }
}

function fileChanged(cause?: unknown): InputError {
  return new InputError("the audio file changed after it was checked", { advice: "Run the update again.", cause });
}
