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

function bmp({ width = 16, height = 8, statedBytes = 0 } = {}): Buffer {
  return bytesOf(54 + width * 3 * Math.abs(height), (bytes) => {
    bytes.write("BM");
    bytes.writeUInt32LE(statedBytes, 2);
    bytes.writeUInt32LE(54, 10);
    bytes.writeUInt32LE(40, 14);
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
    bytes.writeUInt16LE(1, 26);
    bytes.writeUInt16LE(24, 28);
  });
}

/** A TIFF of one strip, which lies before or behind its directory. */
function tiff({ isLittle = true, directoryLast = false, orientation = 1, pixels = 128 } = {}): Buffer {
  const tags = [
    [256, 16],
    [257, 8],
    [274, orientation],
    [273, directoryLast ? 8 : 8 + 2 + 5 * 12 + 4],
    [279, pixels],
  ];
  const directory = bytesOf(2 + tags.length * 12 + 4, (bytes) => {
    const write16 = (value: number, at: number) =>
      isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at);
    const write32 = (value: number, at: number) =>
      isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at);
    write16(tags.length, 0);
    for (const [index, [tag = 0, value = 0]] of tags.entries()) {
      write16(tag, 2 + index * 12);
      write16(4, 4 + index * 12);
      write32(1, 6 + index * 12);
      write32(value, 10 + index * 12);
    }
  });
  const head = bytesOf(8, (bytes) => {
    bytes.write(isLittle ? "II*\0" : "MM\0*", "latin1");
    const at = directoryLast ? 8 + pixels : 8;
    if (isLittle) bytes.writeUInt32LE(at, 4);
    else bytes.writeUInt32BE(at, 4);
  });
  const strip = Buffer.alloc(pixels, 5);
  return Buffer.concat(directoryLast ? [head, strip, directory] : [head, directory, strip]);
}

/** A picture of HEIF: its boxes, with a size, perhaps a turn, and data of nothing. */
function heif(brand: string, { turned = 0, before = [] as Buffer[] } = {}): Buffer {
  const size = box(
    "ispe",
    bytesOf(12, (bytes) => bytes.writeUInt32BE(16, 4) && bytes.writeUInt32BE(8, 8)),
  );
  const properties = box("iprp", box("ipco", size, ...(turned > 0 ? [box("irot", Buffer.from([turned]))] : [])));
  const ftyp = box("ftyp", text(`${brand}\0\0\0\0mif1${brand}`));
  return Buffer.concat([ftyp, ...before, box("meta", Buffer.alloc(4), properties), box("mdat", Buffer.alloc(500))]);
}

function webp(...extra: Buffer[]): Buffer {
  const whole = real("lossy.webp");
  const head = bytesOf(18, (bytes) => {
    bytes.write("VP8X");
    bytes.writeUInt32LE(10, 4);
    bytes[8] = 8;
    bytes.writeUIntLE(15, 12, 3);
    bytes.writeUIntLE(7, 15, 3);
  });
  const body = Buffer.concat([head, whole.subarray(12), ...extra]);
  return Buffer.concat([text("RIFF"), bytesOf(4, (bytes) => bytes.writeUInt32LE(body.length + 4)), text("WEBP"), body]);
}

function* expected(): Generator<Picture> {
  const size: [number, number] = [16, 8];
  const files = {
    jpg: ["baseline.jpg", "progressive.jpg"],
    webp: ["lossy.webp"],
    gif: ["palette.gif"],
    bmp: ["plain.bmp"],
    tiff: ["plain.tiff"],
  };
  for (const [extension, names] of Object.entries(files))
    for (const name of names) {
      yield [name, real(name), { extension, size }];
      yield [`a half of ${name}`, half(real(name)), { extension, damaged: true }];
      yield [`${name} without its last byte`, real(name).subarray(0, -1), { extension, damaged: true }];
    }
  yield ["PNG", png(), { extension: "png", size }];
  yield ["a half of a PNG", half(png()), { extension: "png", damaged: true }];
  yield [
    "PNG with a wrong byte",
    bytesOf(png().length, (bytes) => png().copy(bytes) && bytes.writeUInt8(1, 45)),
    { extension: "png", damaged: true },
  ];
  yield ["PNG without width", png(0, 8), { extension: "png", damaged: true }];
  yield [
    "PNG of more pixels than it can hold",
    png(100_000, 100_000, { rows: 8 }),
    { extension: "png", damaged: true },
  ];
  yield ["PNG of the largest numbers", png(0xffffffff, 0xffffffff, { rows: 8 }), { extension: "png", damaged: true }];
  yield [
    "PNG with a text of 3 MB",
    png(16, 8, { before: [pngChunk("tEXt", Buffer.alloc(3_000_000, "a"))] }),
    { extension: "png", size },
  ];
  yield [
    "PNG that is turned",
    png(16, 8, { before: [pngChunk("eXIf", exif(6, false))] }),
    { extension: "png", size: [8, 16] },
  ];
  yield ["PNG with bytes behind its end", Buffer.concat([png(), text("more")]), { extension: "png", size }];

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
  yield ["JPEG with fill bytes", jpeg(Buffer.alloc(2000, 0xff)), { extension: "jpg", size }];
  yield ["JPEG with a comment", jpeg(segment(0xfe, text("a whale"))), { extension: "jpg", size }];
  yield [
    "JPEG with bytes behind its end",
    Buffer.concat([real("baseline.jpg"), Buffer.alloc(100)]),
    { extension: "jpg", size },
  ];
  yield [
    "JPEG of 20,000 empty segments",
    jpeg(Buffer.alloc(80_000, "ffe10002", "hex")),
    { extension: "jpg", damaged: true },
  ];

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
  yield [
    "WebP that is turned",
    webp(
      text("EXIF"),
      bytesOf(4, (bytes) => bytes.writeUInt32LE(26)),
      exif(8),
    ),
    { extension: "webp", size: [8, 16] },
  ];
  yield ["BMP without its size", bmp(), { extension: "bmp", size }];
  yield ["BMP with a wrong size", bmp({ statedBytes: 1e6 }), { extension: "bmp", size }];
  yield ["BMP from the top to the bottom", bmp({ height: -8 }), { extension: "bmp", size }];
  yield ["a half of a BMP without its size", half(bmp()), { extension: "bmp", damaged: true }];
  yield ["TIFF of Motorola", tiff({ isLittle: false }), { extension: "tiff", size }];
  yield [
    "TIFF whose directory is at its end, behind 200 KB",
    tiff({ directoryLast: true, pixels: 200_000 }),
    { extension: "tiff", size },
  ];
  yield ["TIFF that is turned", tiff({ orientation: 6 }), { extension: "tiff", size: [8, 16] }];
  yield ["a half of a TIFF", half(tiff({ pixels: 4000 })), { extension: "tiff", damaged: true }];
  for (const brand of ["heic", "avif"]) {
    yield [brand, heif(brand), { extension: brand, size }];
    yield [`${brand} that is turned`, heif(brand, { turned: 1 }), { extension: brand, size: [8, 16] }];
    yield [`a half of ${brand}`, half(heif(brand)), { extension: brand, damaged: true }];
    yield [
      `${brand} of 50,000 empty boxes`,
      heif(brand, { before: [Buffer.alloc(400_000, box("free"))] }),
      { extension: brand },
    ];
  }
}

function* unexpected(): Generator<Picture> {
  const filled = (head: string, bytes = 500) => Buffer.concat([text(head), Buffer.alloc(bytes)]);
  const is = (name: string, bytes: Buffer, extension: string, seemsToBe: RegExp): Picture => [
    name,
    bytes,
    { extension, seemsToBe },
  ];
  yield is(
    "JPEG XL in a container",
    Buffer.concat([Buffer.from("0000000c4a584c200d0a870a", "hex"), Buffer.alloc(99)]),
    "jxl",
    /JPEG XL/,
  );
  yield is("BigTIFF", filled("II\x2b\0\x08\0\0\0"), "tif", /BigTIFF/);
  yield is("TGA", Buffer.concat([Buffer.alloc(500), text("\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0")]), "tga", /TGA/);
  yield is("TGA without a signature", filled("\0\0\x02\0\0\0\0\0\0\0\0\0\x10\0\x08\0\x18\0"), "tga", /TGA/);
  yield is("QOI", filled("qoif\0\0\0\x10\0\0\0\x08\x03\0"), "qoi", /QOI/);
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
