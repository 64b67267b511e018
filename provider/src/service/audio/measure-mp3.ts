import { BufferSource, EncodedPacketSink, Input, MP3 } from "mediabunny";
import { cutShort, judged, type Measured, mostSeconds, partInFile, toleratedGapSeconds } from "./measured";
import type { FileKind } from "../file-kind";

/** A recording of 10 s has at least this many bytes, because the lowest bit rate of MP3 is 8 kbit/s. */
const fewestBytes = 10_000;
/** Tags behind the sound are smaller than this, or than this share of the file. */
const most = { strayBytes: 4000, strayShare: 0.1 };

/** Measures an MP3 recording by its frames. Undefined if the file has no frames, and its first bytes are not MP3. */
export async function measureMp3(content: Buffer, { from, extension }: FileKind): Promise<Measured | undefined> {
  const frames = await framesIn(content, from);
  if (frames === undefined) {
    if (extension === undefined) return undefined;
    const isPart = content.length - from < fewestBytes;
    return isPart ? cutShort("mp3", "it contains no audio data") : judged("mp3", [], ["its frames can't be read"]);
  }
  const { seconds, bytes } = frames;
  if (seconds > mostSeconds) return judged("mp3", [seconds], []);
  const { promisedSeconds = 0, paddingSeconds } = encoderTag(frames);
  if (promisedSeconds - seconds > toleratedGapSeconds) return cutShort("mp3", partInFile(seconds, promisedSeconds));
  const doubts: string[] = [];
  if (/^mp[12]$/.test(extension ?? "")) doubts.push(`it is MPEG layer ${extension?.slice(2)}, not MP3`);
  const strayBytes = content.length - from - bytes;
  if (strayBytes > Math.max(most.strayBytes, content.length * most.strayShare))
    doubts.push(`${strayBytes} of its bytes do not belong to a frame`);
  if (promisedSeconds > 0 && seconds - promisedSeconds > toleratedGapSeconds)
    doubts.push(`its header states ${promisedSeconds.toFixed(1)} s`);
  return judged("mp3", [seconds], doubts, paddingSeconds);
}

interface Frames {
  /** The file from its first frame on. */
  first: Buffer;
  /** The length of one frame. `seconds` and `bytes`: the size of all frames together. */
  frameSeconds: number;
  seconds: number;
  bytes: number;
  /** The number of samples in a second. */
  rate: number;
}

/** At most this many places are tried, because an untrusted file may have no frames. */
const mostTries = 100;

/**
 * The frames from the first place after which most bytes are frames. A recording that was cut out of a longer one may
 * begin with the rest of a frame, which may contain bytes that look like a frame.
 */
async function framesIn(content: Buffer, from: number): Promise<Frames | undefined> {
  let at = from - 1;
  for (let tries = 0; tries < mostTries; tries++) {
    at = content.indexOf(0xff, at + 1);
    if (at < 0) return undefined;
    const frames = await framesFrom(content.subarray(at));
    if (frames && (frames.seconds > mostSeconds || frames.bytes > (content.length - at) / 2)) return frames;
  }
  return undefined;
}

async function framesFrom(content: Buffer): Promise<Frames | undefined> {
  const input = new Input({ source: new BufferSource(content), formats: [MP3] });
  try {
    const track = await input.getPrimaryAudioTrack();
    if (!track) return undefined;
    const frames = { first: content, frameSeconds: 0, rate: await track.getSampleRate(), seconds: 0, bytes: 0 };
    const options = { metadataOnly: true };
    for await (const { duration, byteLength } of new EncodedPacketSink(track).packets(undefined, undefined, options)) {
      frames.frameSeconds = duration;
      frames.seconds += duration;
      frames.bytes += byteLength;
      if (frames.seconds > mostSeconds) break;
    }
    return frames;
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}

/** Reads the length and the silence that an encoder states in the first frame. mediabunny reads only a part of it. */
function encoderTag({ first, frameSeconds, rate }: Frames): { promisedSeconds?: number; paddingSeconds?: number } {
  const head = first.toString("latin1", 0, 64);
  const vbri = head.indexOf("VBRI");
  if (vbri >= 0 && vbri + 18 <= first.length) return { promisedSeconds: first.readUInt32BE(vbri + 14) * frameSeconds };
  const tag = head.search(/Xing|Info/);
  if (tag < 0 || tag + 144 > first.length || (first.readUInt32BE(tag + 4) & 1) === 0) return {};
  const promisedSeconds = first.readUInt32BE(tag + 8) * frameSeconds;
  if (!/^(LAME|Lavc|Lavf|GOGO)/.test(first.toString("latin1", tag + 120, tag + 124))) return { promisedSeconds };
  const delays = first.readUIntBE(tag + 141, 3);
  return { promisedSeconds, paddingSeconds: ((delays >> 12) + (delays & 0xfff)) / rate };
}
