import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { isComplete } from "../../provider/src/service/images/is-complete";

/** Pictures of 16 by 8 pixels, made with Pillow. */
const pictures: [name: string, contentType: string][] = [
  ["baseline.jpg", "image/jpeg"],
  ["progressive.jpg", "image/jpeg"],
  ["lossy.webp", "image/webp"],
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

test("a PNG with one wrong byte behind its signature is not whole", () => {
  const bytes = PNG.sync.write(new PNG({ width: 16, height: 8 }));
  for (let at = 8; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
    expect([at, isComplete("image/png", damaged)]).toEqual([at, false]);
  }
});

test("bytes after the end do no harm", () => {
  for (const [name, contentType] of pictures) {
    const bytes = readFileSync(join(__dirname, "pictures", name));
    expect([name, isComplete(contentType, Buffer.concat([bytes, Buffer.from("\0\0 more")]))]).toEqual([name, true]);
  }
});

test.each(["image/tiff", "image/bmp", "image/heif", "image/heic", "image/avif", "image/gif", "image/other"])(
  "nothing of a picture of the type %s is read, because a few bytes of it could ask for hours of work",
  (contentType) => {
    const untouchable = new Proxy(Buffer.alloc(0), {
      get: () => {
        throw new Error("The picture was read.");
      },
    });
    expect(isComplete(contentType, untouchable)).toBe(true);
  },
);
