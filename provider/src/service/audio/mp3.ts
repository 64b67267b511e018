interface Frame {
  layer: 1 | 2 | 3;
  version: 1 | 2 | 2.5;
  rate: number;
  samples: number;
  bytes: number;
}

const rates = [44_100, 48_000, 32_000];
const kilobits = {
  "1/1": [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  "1/2": [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  "1/3": [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  "2/1": [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  "2/2": [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Reads a frame's header. Undefined for a "free" bit rate too, because the header then does not show the size. */
function frameAt(content: Buffer, at: number): Frame | undefined {
  if (at + 4 > content.length || content[at] !== 0xff) return undefined;
  const [, second = 0, third = 0] = content.subarray(at, at + 3);
  const version = ([2.5, undefined, 2, 1] as const)[(second >> 3) & 3];
  const layer = ([undefined, 3, 2, 1] as const)[(second >> 1) & 3];
  const base = rates[(third >> 2) & 3];
  if ((second & 0xe0) !== 0xe0 || version === undefined || layer === undefined || base === undefined) return undefined;
  const table = version === 1 ? (`1/${layer}` as const) : layer === 1 ? "2/1" : "2/2";
  const bits = (kilobits[table][(third >> 4) - 1] ?? 0) * 1000;
  if (bits === 0) return undefined;
  const rate = version === 1 ? base : version === 2 ? base / 2 : base / 4;
  const padding = (third >> 1) & 1;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152;
  const bytes =
    layer === 1 ? (Math.floor((12 * bits) / rate) + padding) * 4 : Math.floor((samples / 8) * (bits / rate)) + padding;
  return { layer, version, rate, samples, bytes };
}

/** At most this many bytes are searched for the next frame, because an untrusted file may have none. */
const mostSearchedBytes = 2 * 1024 * 1024;
const neededFrames = 4;

/** The offset of the next frame that several similar frames follow. The number of channels may differ between them. */
function nextFrames(content: Buffer, from: number, kind?: Frame): number | undefined {
  const end = Math.min(content.length, from + mostSearchedBytes);
  for (let at = content.indexOf(0xff, from); at >= 0 && at < end; at = content.indexOf(0xff, at + 1)) {
    const first = frameAt(content, at);
    if (first === undefined || (kind !== undefined && !isAlike(first, kind))) continue;
    let next = at;
    let frames = 0;
    for (let frame: Frame | undefined = first; frame !== undefined && isAlike(frame, first) && frames < neededFrames;) {
      frames++;
      next += frame.bytes;
      frame = frameAt(content, next);
    }
    if (frames === neededFrames || (kind !== undefined && next >= content.length)) return at;
  }
  return undefined;
}

function isAlike(one: Frame, other: Frame): boolean {
  return one.layer === other.layer && one.version === other.version && one.rate === other.rate;
}

export interface Mp3File {
  layer: number;
  /** The offset of the first whole frame. */
  firstAt: number;
  seconds: number;
  /** The number of bytes between frames that do not belong to a frame. */
  strayBytes: number;
  soundBytes: number;
  /** The length that the encoder's tag states. */
  promisedSeconds?: number;
  /** The silence that the encoder added at the beginning and the end, if the encoder's tag states it. */
  paddingSeconds?: number;
}

/** Reads frames until `mostSeconds` of sound are exceeded. Undefined if the file has no frames. */
export function readMp3(content: Buffer, from: number, mostSeconds: number): Mp3File | undefined {
  const firstAt = nextFrames(content, from);
  const first = firstAt === undefined ? undefined : frameAt(content, firstAt);
  if (firstAt === undefined || first === undefined) return undefined;
  const tag = encoderTag(content.subarray(firstAt, firstAt + first.bytes), first);
  const file: Mp3File = { layer: first.layer, firstAt, seconds: 0, strayBytes: 0, soundBytes: 0, ...tag };
  let at = tag === undefined ? firstAt : firstAt + first.bytes;
  while (at < content.length && file.seconds <= mostSeconds && file.strayBytes < mostSearchedBytes) {
    const frame = frameAt(content, at);
    if (frame && isAlike(frame, first)) {
      // Players skip an incomplete last frame.
      if (at + frame.bytes > content.length) break;
      file.seconds += frame.samples / frame.rate;
      file.soundBytes += frame.bytes;
      at += frame.bytes;
      continue;
    }
    const next = nextFrames(content, at, first);
    if (next === undefined || isEndTag(content, at)) break;
    file.strayBytes += next - at;
    at = next;
  }
  return file;
}

function isEndTag(content: Buffer, at: number): boolean {
  return /^(TAG|APETAGEX|LYRICSBEGIN)/.test(content.toString("latin1", at, at + 11));
}

/** Reads the tag that an encoder writes into the first frame instead of sound. */
function encoderTag(frame: Buffer, { rate, samples }: Frame) {
  const vbri = frame.indexOf("VBRI");
  if (vbri >= 0 && vbri + 18 <= frame.length)
    return { promisedSeconds: (frame.readUInt32BE(vbri + 14) * samples) / rate };
  const tag = Math.max(frame.indexOf("Xing"), frame.indexOf("Info"));
  if (tag < 0 || tag + 12 > frame.length) return undefined;
  if ((frame.readUInt32BE(tag + 4) & 1) === 0) return {};
  const promisedSeconds = (frame.readUInt32BE(tag + 8) * samples) / rate;
  const isNamed =
    tag + 144 <= frame.length && /^(LAME|Lavc|Lavf|GOGO)/.test(frame.toString("latin1", tag + 120, tag + 124));
  if (!isNamed) return { promisedSeconds };
  const delays = frame.readUIntBE(tag + 141, 3);
  return { promisedSeconds, paddingSeconds: ((delays >> 12) + (delays & 0xfff)) / rate };
}
