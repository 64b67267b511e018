export interface Mp4Options {
  seconds?: number;
  brand?: string | undefined;
  codec?: string;
  /** The kind of sound inside `mp4a`: 0x40 is AAC, 0x6b MP3. */
  kind?: number;
  /** What the header says instead of the truth. */
  headerSeconds?: number;
  /** The seconds that an edit list shows, and where it begins. */
  shows?: [seconds: number, from?: number];
  handler?: string;
  tableFirst?: boolean;
  /** The tables of samples, in place of the usual ones. `at`: where the samples begin. */
  tables?: (at: number) => Buffer[];
  /** Boxes at the end of `moov`, and behind the file. */
  inMoov?: Buffer[];
  behind?: Buffer[];
  /** The size of `mdat` as 64 bits, or as "to the end". */
  mdat?: "long" | "open";
}

const rate = 24_000;
const samplesPerFrame = 1024;
const frameBytes = 24;

export function box(type: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0));
  head.write(type, 4, "latin1");
  return Buffer.concat([head, ...parts]);
}

export const numbers = (...values: number[]) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    }),
  );
const zeros = (count: number) => Buffer.alloc(count);

/** An MP4 file with one track of sound, of frames without content. */
export function mp4(options: Mp4Options = {}): Buffer {
  const { seconds = 12, codec = "mp4a", kind = 0x40, shows, handler = "soun", tableFirst = false } = options;
  const brand = "brand" in options ? options.brand : "M4A ";
  const frames = Math.round((seconds * rate) / samplesPerFrame);
  const duration = Math.round((options.headerSeconds ?? (frames * samplesPerFrame) / rate) * rate);
  const ftyp = brand === undefined ? zeros(0) : box("ftyp", Buffer.from(brand), zeros(4), Buffer.from(brand));
  const config = Buffer.from([0x05, 2, 0x13, 0x08]);
  const decoder = Buffer.concat([Buffer.from([0x04, 13 + config.length, kind, 0x15]), zeros(11), config]);
  const esds = box(
    "esds",
    zeros(4),
    Buffer.from([0x03, 3 + decoder.length + 3, 0, 1, 0]),
    decoder,
    Buffer.from([6, 1, 2]),
  );
  const entry = box(
    codec,
    Buffer.from("000000000000000100000000000000000001001000000000", "hex"),
    numbers(rate * 65_536),
    codec === "mp4a" || codec === "enca" ? esds : zeros(0),
  );
  const table = (at: number) =>
    box(
      "moov",
      box("mvhd", zeros(12), numbers(1000, Math.round((duration / rate) * 1000)), zeros(80)),
      box(
        "trak",
        box("tkhd", numbers(7, 0, 0, 1), zeros(68)),
        ...(shows
          ? [box("edts", box("elst", numbers(0, 1, Math.round(shows[0] * 1000), (shows[1] ?? 0) * rate, 65_536)))]
          : []),
        box(
          "mdia",
          box("mdhd", zeros(12), numbers(rate, duration), Buffer.from("55c40000", "hex")),
          box("hdlr", zeros(8), Buffer.from(handler), zeros(13)),
          box(
            "minf",
            box(
              "stbl",
              box("stsd", numbers(0, 1), entry),
              ...(options.tables?.(at) ?? [
                box("stts", numbers(0, 1, frames, samplesPerFrame)),
                box("stsc", numbers(0, 1, 1, frames, 1)),
                box("stsz", numbers(0, frameBytes, frames)),
                box("stco", numbers(0, 1, at)),
              ]),
            ),
          ),
        ),
      ),
      ...(options.inMoov ?? []),
    );
  const data = Buffer.alloc(frames * frameBytes, 1);
  const mdat = box("mdat", data);
  if (options.mdat === "open") mdat.writeUInt32BE(0, 0);
  const long = Buffer.concat([numbers(1), Buffer.from("mdat"), numbers(0, data.length + 16), data]);
  const media = options.mdat === "long" ? long : mdat;
  const headBytes = media.length - data.length;
  const at = ftyp.length + (tableFirst ? table(0).length : 0) + headBytes;
  const { behind = [] } = options;
  return Buffer.concat(tableFirst ? [ftyp, table(at), media, ...behind] : [ftyp, media, table(at), ...behind]);
}
