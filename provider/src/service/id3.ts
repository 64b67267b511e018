/**
 * The offset after any ID3 tags. A file of any kind may begin with such tags, and they may be larger than the examined
 * part.
 */
export function behindTags(content: Buffer): number {
  let at = 0;
  for (
    let tags = 0;
    tags < 8 && content.toString("latin1", at, at + 3) === "ID3" && at + 10 <= content.length;
    tags++
  ) {
    // The size of a tag is stored in four bytes of seven bits each.
    at += 10 + content.subarray(at + 6, at + 10).reduce((size, byte) => size * 128 + (byte & 0x7f), 0);
  }
  return Math.min(at, content.length);
}
