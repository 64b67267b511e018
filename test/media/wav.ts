export interface WavOptions {
  seconds?: number;
  encoding?: number;
  /** The encoding inside an extensible format. */
  inside?: number;
  bits?: number;
  channels?: number;
  rate?: number;
  /** What the header says instead of the truth. */
  bytesPerSecond?: number;
  dataSize?: number;
  riffSize?: number;
  dataBytes?: number;
  before?: Buffer[];
  after?: Buffer[];
}

export function chunk(name: string, body: Buffer, size = body.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** A WAV file of one tone, or with any mistake in its header. */
export function wavOf(options: WavOptions = {}): Buffer {
  const { seconds = 12, encoding = 1, bits = 16, channels = 1, rate = 8000, inside } = options;
  const frameBytes = Math.ceil(bits / 8) * channels;
  const { bytesPerSecond = rate * frameBytes } = options;
  const format = Buffer.alloc(inside === undefined ? 16 : 40);
  format.writeUInt16LE(encoding, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(rate, 4);
  format.writeUInt32LE(bytesPerSecond, 8);
  format.writeUInt16LE(frameBytes, 12);
  format.writeUInt16LE(bits, 14);
  if (inside !== undefined) {
    format.writeUInt16LE(22, 16);
    format.writeUInt16LE(inside, 24);
    Buffer.from("000000001000800000aa00389b71", "hex").copy(format, 26);
  }
  const data = Buffer.alloc(options.dataBytes ?? Math.round(seconds * rate) * frameBytes, "0010203040302010f0e0");
  const body = Buffer.concat([
    Buffer.from("WAVE"),
    chunk("fmt ", format),
    ...(options.before ?? []),
    chunk("data", data, options.dataSize),
    ...(options.after ?? []),
  ]);
  return chunk("RIFF", body, options.riffSize);
}
