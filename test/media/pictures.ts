import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { box } from "./mp4";

/** What is true of a picture that a paid task gave. Without `refused`, it is saved. */
export interface PictureTruth {
  extension?: string;
  size?: [width: number, height: number];
  damaged?: boolean;
  seemsToBe?: RegExp;
  refused?: RegExp;
}

export type Picture = [name: string, bytes: Buffer, truth: PictureTruth];

const text = (content: string) => Buffer.from(content, "latin1");
const bytesOf = (size: number, write: (bytes: Buffer) => void) => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
};
const half = (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2));
const real = (name: string) => readFileSync(join(__dirname, "..", "service", "pictures", name));

/** The directory of EXIF that says how a picture is turned. */
function exif(orientation: number, isLittle = true): Buffer {
  return bytesOf(26, (bytes) => {
    bytes.write(isLittle ? "II" : "MM");
    const [short, long] = isLittle
      ? [bytes.writeUInt16LE.bind(bytes), bytes.writeUInt32LE.bind(bytes)]
      : [bytes.writeUInt16BE.bind(bytes), bytes.writeUInt32BE.bind(bytes)];
    short(42, 2);
    long(8, 4);
    short(1, 8);
    short(0x0112, 10);
    short(3, 12);
    long(1, 14);
    short(orientation, 18);
  });
}

function segment(marker: number, body: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xff, marker]),
    bytesOf(2, (bytes) => bytes.writeUInt16BE(body.length + 2)),
    body,
  ]);
}

/** A JPEG of 16 by 8 pixels, with these bytes behind its beginning. */
function jpeg(...before: Buffer[]): Buffer {
  const whole = real("baseline.jpg");
  return Buffer.concat([whole.subarray(0, 2), ...before, whole.subarray(2)]);
}

function pngChunk(name: string, body: Buffer): Buffer {
  const content = Buffer.concat([text(name), body]);
  return bytesOf(content.length + 8, (bytes) => {
    bytes.writeUInt32BE(body.length);
    content.copy(bytes, 4);
    bytes.writeUInt32BE(crc32(content), content.length + 4);
  });
}

/** A black PNG of one bit for each pixel. */
function png(
  width = 16,
  height = 8,
  { before = [], rows = height }: { before?: Buffer[]; rows?: number } = {},
): Buffer {
  const head = bytesOf(13, (bytes) => {
    bytes.writeUInt32BE(width);
    bytes.writeUInt32BE(height, 4);
    bytes[8] = 1;
  });
  const pixels = deflateSync(Buffer.alloc(rows * (1 + Math.ceil(16 / 8))));
  const chunks = [pngChunk("IHDR", head), ...before, pngChunk("IDAT", pixels), pngChunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([text("\x89PNG\r\n\x1a\n"), ...chunks]);
}

function webp(): Buffer {
  const whole = real("lossy.webp");
  const head = bytesOf(18, (bytes) => {
    bytes.write("VP8X");
    bytes.writeUInt32LE(10, 4);
    bytes[8] = 8;
    bytes.writeUIntLE(15, 12, 3);
    bytes.writeUIntLE(7, 15, 3);
  });
  const body = Buffer.concat([head, whole.subarray(12)]);
  return Buffer.concat([text("RIFF"), bytesOf(4, (bytes) => bytes.writeUInt32LE(body.length + 4)), text("WEBP"), body]);
}

function* expected(): Generator<Picture> {
  const size: [number, number] = [16, 8];
  const files = {
    jpg: ["baseline.jpg", "progressive.jpg"],
    webp: ["lossy.webp"],
  };
  for (const [extension, names] of Object.entries(files))
    for (const name of names) {
      yield [name, real(name), { extension, size }];
      yield [`a half of ${name}`, half(real(name)), { extension, damaged: true }];
    }
  yield ["PNG", png(), { extension: "png", size }];
  yield ["PNG without width", png(0, 8), { extension: "png", damaged: true }];
  yield ["PNG of the largest numbers", png(0xffffffff, 0xffffffff, { rows: 8 }), { extension: "png", damaged: true }];
  yield [
    "PNG with a text of 3 MB",
    png(16, 8, { before: [pngChunk("tEXt", Buffer.alloc(3_000_000, "a"))] }),
    { extension: "png", size },
  ];

  for (const orientation of [1, 2, 3, 4])
    yield [
      `JPEG with the orientation ${orientation}`,
      jpeg(segment(0xe1, Buffer.concat([text("Exif\0\0"), exif(orientation)]))),
      { extension: "jpg", size },
    ];
  for (const orientation of [5, 6, 7, 8])
    yield [
      `JPEG that is turned, with the orientation ${orientation}`,
      jpeg(segment(0xe1, Buffer.concat([text("Exif\0\0"), exif(orientation, orientation > 6)]))),
      { extension: "jpg", size: [8, 16] },
    ];
  const metadata = Array.from({ length: 50 }, () => segment(0xe2, Buffer.alloc(65_000, 1)));
  yield ["JPEG with 3 MB of metadata", jpeg(...metadata), { extension: "jpg", size }];
  yield ["JPEG with fill bytes", jpeg(Buffer.alloc(2000, 0xff)), { extension: "jpg" }];
  // Kinds from public reports: several pictures in one file, EXIF that is no TIFF, and a directory that names itself.
  yield [
    "JPEG of two pictures (MPO)",
    Buffer.concat([real("baseline.jpg"), real("progressive.jpg")]),
    { extension: "jpg", size },
  ];
  const broken = Buffer.concat([text("Exif\0\0http://ns.adobe.com"), Buffer.alloc(20)]);
  yield ["JPEG whose EXIF is a text", jpeg(segment(0xe1, broken)), { extension: "jpg", size }];
  const loop = exif(6);
  loop.writeUInt32LE(8, 22);
  yield [
    "JPEG whose EXIF ends where it begins",
    jpeg(segment(0xe1, Buffer.concat([text("Exif\0\0"), loop]))),
    { extension: "jpg", size: [8, 16] },
  ];
  yield ["WebP with metadata", webp(), { extension: "webp", size }];
}

function* unexpected(): Generator<Picture> {
  const is = (name: string, bytes: Buffer, extension: string, seemsToBe: RegExp): Picture => [
    name,
    bytes,
    { extension, seemsToBe },
  ];
  yield is(
    "JPEG XL in a container",
    Buffer.concat([Buffer.from("0000000c4a584c200d0a870a", "hex"), Buffer.alloc(99)]),
    "jxl",
    /JXL/,
  );
  yield is("GIF", real("palette.gif"), "gif", /GIF/);
  yield is("an SVG drawing", text("<?xml version='1.0'?>\n<svg xmlns='http://www.w3.org/2000/svg'/>"), "bin", /SVG/);
  yield is("a film", Buffer.concat([box("ftyp", text("isom\0\0\0\0isom")), Buffer.alloc(99)]), "bin", /MP4/);
  yield is("zeros", Buffer.alloc(5000), "bin", /unknown kind/);
  const no = (name: string, bytes: string, refused: RegExp): Picture => [name, text(bytes), { refused }];
  yield no("nothing", "", /is empty/);
  yield no("an HTML page", "\n<!DOCTYPE html><title>Sign in</title>", /HTML/);
  yield no("an HTML page with a comment first", "<!-- gateway --><html></html>", /HTML/);
  yield no("JSON", '{"code":"AccessDenied"}', /JSON/);
  yield no("a list of JSON", "[]\n", /JSON|text/);
  yield no("the XML of a bucket", "<?xml version='1.0'?><Error><Code>ExpiredToken</Code></Error>", /XML/);
  yield no("a text", "upstream connect error", /text/);
}

export const pictures: Picture[] = [...expected(), ...unexpected()];
