import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { PNG } from "pngjs";
import { describeThrown } from "../../provider/src/describe-thrown";
import { describePicture } from "../../provider/src/service/images/download";
import { isComplete } from "../../provider/src/service/images/picture";

/** Pictures of 16 by 8 pixels, made with Pillow. */
const pictures: [name: string, contentType: string][] = [
  ["baseline.jpg", "image/jpeg"],
  ["progressive.jpg", "image/jpeg"],
  ["lossy.webp", "image/webp"],
];

function expectCutsFound(bytes: Buffer, contentType: string): void {
  expect(isComplete(contentType, bytes)).toBe(true);
  expect(isComplete(contentType, Buffer.concat([bytes, Buffer.from("\0\0 more")]))).toBe(true);
  const undetected = Array.from({ length: bytes.length }, (_, length) => length).filter((length) =>
    isComplete(contentType, bytes.subarray(0, length)),
  );
  expect(undetected).toEqual([]);
}

test.each(pictures)(
  "%s is whole, also before other bytes, and wherever it is cut short, it is not",
  (name, contentType) => {
    expectCutsFound(readFileSync(join(__dirname, "pictures", name)), contentType);
  },
);

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

const ihdr = (width: number, height: number) => {
  const content = Buffer.from("IHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0", "latin1");
  content.writeUInt32BE(width, 4);
  content.writeUInt32BE(height, 8);
  return chunk(content);
};
const chunk = (content: Buffer) => {
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length - 4);
  ends.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
};
const pngOf = (...chunks: Buffer[]) =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks, chunk(Buffer.from("IEND"))]);

test.each([
  ["a PNG without pixels", pngOf(ihdr(16, 16))],
  ["a JPEG without a scan", Buffer.from("ffd8ffc0000b080010001001011100ffd9", "hex")],
])("%s is no whole picture", async (_, bytes) => {
  const seen = await describePicture(bytes).then(({ damage }) => damage, describeThrown);
  expect(typeof seen === "object" ? seen.message : seen).toMatch(/not a whole image|not an image/);
});

test.each([
  [
    "chunks",
    "image/png",
    "89504e470d0a1a0a0000000d494844520000001000000010080200000090916836",
    "00000000744558749642c585",
  ],
  ["segments", "image/jpeg", "ffd8", "ffe00002"],
  ["bytes that fill", "image/jpeg", "ffd8", "ff"],
  ["scans", "image/jpeg", "ffd8", "ffda0002"],
  ["marked bytes", "image/jpeg", "ffd8ffda0002", "ff00"],
])("a picture of ever more %s asks for no more work", (_, contentType, head, part) => {
  const readsOf = (bytes: number) => {
    const picture = Buffer.concat([Buffer.from(head, "hex"), Buffer.alloc(bytes, part, "hex")]);
    let reads = 0;
    for (const name of ["indexOf", "readUInt8", "readUInt16BE", "readUInt32BE", "subarray"] as const) {
      const read = picture[name].bind(picture) as (...args: unknown[]) => never;
      picture[name] = (...args: unknown[]) => (reads++, read(...args));
    }
    expect(isComplete(contentType, picture)).toBe(false);
    return reads;
  };
  expect(readsOf(2 ** 25)).toBe(readsOf(2 ** 24));
});

test("nothing of a picture of another type is read, because a few bytes of it could ask for hours of work", () => {
  const untouchable = new Proxy(Buffer.alloc(0), {
    get: () => {
      throw new Error("The picture was read.");
    },
  });
  expect(isComplete("image/other", untouchable)).toBe(true);
});
