/** Skips ID3 tags, which may stand before any kind of file. They can be larger than the part that is examined. */
export function behindTags(content: Buffer): number {
  let at = 0;
  for (
    let tags = 0;
    tags < 8 && content.toString("latin1", at, at + 3) === "ID3" && at + 10 <= content.length;
    tags++
  ) {
    // Four times seven bits.
    at += 10 + content.subarray(at + 6, at + 10).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
  }
  return Math.min(at, content.length);
}
