const rates = { 1: [44_100, 48_000, 32_000], 2: [22_050, 24_000, 16_000], 2.5: [11_025, 12_000, 8000] } as const;
const kilobits = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

export interface Mp3Options {
  seconds?: number;
  rate?: number;
  /** The bit rate of each frame, in turn. */
  kbps?: number[];
}

/** Frames of silence of MPEG layer III. */
export function mp3Frames({ seconds = 12, rate = 24_000, kbps = [64] }: Mp3Options = {}): Buffer[] {
  const version = rate >= 32_000 ? 1 : rate >= 16_000 ? 2 : 2.5;
  const samples = version === 1 ? 1152 : 576;
  const frames = Math.round((seconds * rate) / samples);
  return Array.from({ length: frames }, (_, index) => {
    const bits = kbps[index % kbps.length] ?? 64;
    const table: readonly number[] = kilobits[version === 1 ? 1 : 2];
    const frame = Buffer.alloc(Math.floor((samples / 8) * ((bits * 1000) / rate)));
    frame[0] = 0xff;
    frame[1] = 0xe0 | ({ 1: 3, 2: 2, 2.5: 0 }[version] << 3) | (1 << 1) | 1;
    frame[2] = (table.indexOf(bits) << 4) | ((rates[version] as readonly number[]).indexOf(rate) << 2);
    // One channel.
    frame[3] = 3 << 6;
    return frame;
  });
}

export const mp3 = (options?: Mp3Options) => Buffer.concat(mp3Frames(options));

/** The first frame as an encoder writes it: how many frames follow, and the samples of silence at both ends. */
export function xing(frames: number, { rate = 24_000, padding }: { rate?: number; padding?: [number, number] } = {}) {
  const [frame = Buffer.alloc(0)] = mp3Frames({ seconds: 1, rate, kbps: [128] });
  const tag = Buffer.alloc(160);
  tag.write("Xing");
  tag.writeUInt32BE(1, 4);
  tag.writeUInt32BE(frames, 8);
  if (padding) {
    tag.write("LAME3.100", 120);
    tag.writeUIntBE((padding[0] << 12) | padding[1], 141, 3);
  }
  tag.copy(frame, 4 + 9);
  return frame;
}

export function id3(bytes: number): Buffer {
  const tag = Buffer.alloc(10 + bytes);
  tag.write("ID3\x04\0\0", "latin1");
  for (let at = 0; at < 4; at++) tag[9 - at] = (bytes >> (7 * at)) & 0x7f;
  return tag;
}
