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
 * `before`, the file in base64, `after`, as one stream that never holds the file. Fails before its end, so that no whole
 * request ever leaves, when the file is no longer the one that was checked.
 */
export function encodedBody(before: string, file: CheckedFile, after: string): StreamedBody {
  return {
    stream: Readable.from(pieces(before, file, after), { objectMode: false }),
    bytes: Buffer.byteLength(before) + encodedLength(file.bytes) + Buffer.byteLength(after),
  };
}

async function* pieces(before: string, { path, bytes, sha256 }: CheckedFile, after: string): AsyncGenerator<string> {
  const changed = (cause?: unknown) =>
    new InputError("the recording changed between its check and its sending; run the update again", { cause });
  yield before;
  const hash = createHash("sha256");
  let rest = Buffer.alloc(0);
  let left = bytes;
  for await (const piece of read(path, changed)) {
    const chunk = piece as Buffer;
    left -= chunk.length;
    // More than was announced would be cut by the connection, as if its answer had been lost.
    if (left < 0) throw changed();
    hash.update(chunk);
    const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const usable = whole.length - (whole.length % 3);
    // Copied, because the stream's buffer pool may use the original again.
    rest = Buffer.from(whole.subarray(usable));
    if (usable > 0) yield whole.toString("base64", 0, usable);
  }
  if (hash.digest("hex") !== sha256) throw changed();
  yield rest.toString("base64") + after;
}

async function* read(path: string, changed: (cause: unknown) => InputError): AsyncGenerator {
  try {
    yield* createReadStream(path, { highWaterMark: 192 * 1024 });
  } catch (error) {
    throw changed(error);
  }
}
