import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { isComplete } from "../../provider/src/service/images/is-complete";

/** Pictures of 16 by 8 pixels, made with Pillow. */
const pictures: [name: string, contentType: string][] = [
  ["baseline.jpg", "image/jpeg"],
  ["progressive.jpg", "image/jpeg"],
  ["palette.gif", "image/gif"],
  ["lossy.webp", "image/webp"],
  ["plain.bmp", "image/bmp"],
  ["plain.tiff", "image/tiff"],
  ["lzw.tiff", "image/tiff"],
  ["plain.heif", "image/heif"],
];

function expectCutsFound(bytes: Buffer, contentType: string): void {
  expect(isComplete(contentType, bytes)).toBe(true);
  const undetected = Array.from({ length: bytes.length }, (_, length) => length).filter((length) =>
    isComplete(contentType, bytes.subarray(0, length)),
  );
  expect(undetected).toEqual([]);
}

test.each(pictures)("%s is whole, and wherever it is cut short, it is not", (name, contentType) => {
  expectCutsFound(readFileSync(join(__dirname, "pictures", name)), contentType);
});

test("a PNG is whole, and wherever it is cut short, it is not", () => {
  expectCutsFound(PNG.sync.write(new PNG({ width: 16, height: 8 })), "image/png");
});

test("bytes after the end do no harm, except in a format that has no end of its own", () => {
  const after = Buffer.from("\0\0 more");
  for (const [name, contentType] of pictures.filter(([, type]) => type !== "image/heif")) {
    const bytes = readFileSync(join(__dirname, "pictures", name));
    expect([name, isComplete(contentType, Buffer.concat([bytes, after]))]).toEqual([name, true]);
  }
});

test("a format that is not known is taken for whole", () => {
  expect(isComplete("image/other", Buffer.from("a"))).toBe(true);
});
