import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { type AudioFile, encodedLength } from "../../rules/audio";
import { InputError } from "../../errors";
import type { StreamedBody } from "../http";

type CheckedFile = Pick<AudioFile, "bytes" | "sha256"> & { path: string };

/**
 * A streamed body: `before`, the file in base64, and `after`. The whole file is never in memory. If the file has
 * changed since it was checked, the stream fails before its end, so the service never gets a complete request.
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
  let remaining = encodedLength(bytes);
  // The stream encodes whole groups of three bytes, so the chunks can be concatenated. 48 KB: the memory of larger
  // chunks would be freed later.
  for await (const chunk of fileChunks(path, { encoding: "base64", highWaterMark: 48 * 1024 })) {
    remaining -= chunk.length;
    // Workaround: if a body exceeds its Content-Length, undici reports a lost response. So fail before that.
    if (remaining < 0) throw fileChanged();
    hash.update(chunk, "base64");
    yield chunk;
  }
  if (hash.digest("hex") !== sha256) throw fileChanged();
  yield after;
}

async function* fileChunks(...file: Parameters<typeof createReadStream>): AsyncGenerator<string> {
  try {
    yield* createReadStream(...file) as AsyncIterable<string>;
  } catch (error) {
    throw fileChanged(error);
  }
}

function fileChanged(cause?: unknown): InputError {
  return new InputError("the audio file changed after it was checked", { advice: "Run the update again.", cause });
}
