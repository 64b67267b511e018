import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
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

test.each([
  ["palette.gif", "image/gif"],
  ["plain.bmp", "image/bmp"],
  ["plain.tiff", "image/tiff"],
])("the first half of %s is not whole", (name, contentType) => {
  const bytes = readFileSync(join(__dirname, "pictures", name));
  expect(isComplete(contentType, bytes)).toBe(true);
  expect(isComplete(contentType, bytes.subarray(0, bytes.length / 2))).toBe(false);
});

test("a PNG with more pixels than its bytes can hold is not whole", () => {
  const bytes = PNG.sync.write(new PNG({ width: 16, height: 8 }));
  bytes.writeUInt32BE(60_000, 16);
  bytes.writeUInt32BE(60_000, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  expect(isComplete("image/png", bytes)).toBe(false);
});

test.each([
  ["image/gif", Buffer.concat([Buffer.from("GIF89a"), Buffer.alloc(7), Buffer.alloc(2 ** 22, "21fe0100", "hex")])],
  ["image/tiff", Buffer.alloc(2 ** 22, Buffer.concat([Buffer.from("II*\0\x08\0\0\0"), Buffer.alloc(56, 0x11)]))],
  ["image/heic", Buffer.alloc(2 ** 22, "00000008", "hex")],
])("a picture of the type %s that asks for much work gets little", (contentType, bytes) => {
  expect(typeof isComplete(contentType, bytes)).toBe("boolean");
});

test("nothing of a picture of another type is read, because a few bytes of it could ask for hours of work", () => {
  const untouchable = new Proxy(Buffer.alloc(0), {
    get: () => {
      throw new Error("The picture was read.");
    },
  });
  expect(isComplete("image/other", untouchable)).toBe(true);
});
