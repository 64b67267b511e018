import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { encodedLength } from "../../decide/audio";
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

async function* pieces(before: string, { path, sha256 }: CheckedFile, after: string): AsyncGenerator<string> {
  yield before;
  const hash = createHash("sha256");
  let rest = Buffer.alloc(0);
  for await (const piece of createReadStream(path, { highWaterMark: 192 * 1024 })) {
    const chunk = piece as Buffer;
    hash.update(chunk);
    const whole = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const usable = whole.length - (whole.length % 3);
    // Copied, because the stream's buffer pool may use the original again.
    rest = Buffer.from(whole.subarray(usable));
    if (usable > 0) yield whole.toString("base64", 0, usable);
  }
  if (hash.digest("hex") !== sha256) {
    throw new InputError(`${path} changed between its check and its sending; run the update again`);
  }
  yield rest.toString("base64") + after;
}
