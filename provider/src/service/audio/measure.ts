import type { AudioFacts, AudioFile, AudioKind } from "../../decide/audio";

type Measured = Exclude<AudioFacts, AudioFile> | { state: "audio"; kind: AudioKind; seconds: number };

/** Frames that a complete file may lack: encoders round their headers up to whole frames and add padding. */
const toleratedGapSeconds = 0.3;

/** Tells the kind by content and measures the length from the frames themselves: a header can promise what a cut file no longer holds. */
export async function measure(file: string | Uint8Array, bytes: number, head: Buffer): Promise<Measured> {
  const { Input, FilePathSource, BufferSource, EncodedPacketSink, WAVE, MP3, MP4, QTFF } = await import("mediabunny");
  const source = typeof file === "string" ? new FilePathSource(file) : new BufferSource(file);
  const input = new Input({ source, formats: [WAVE, MP3, MP4, QTFF] });
  try {
    const format = await input.getFormat().catch(() => undefined);
    const kind = format === WAVE ? "wav" : format === MP3 ? "mp3" : format === MP4 ? "mp4" : undefined;
    if (kind === undefined) return { state: "other", found: await nameOf(head) };

    let endSeconds = 0;
    let promisedSeconds = 0;
    try {
      const track = await input.getPrimaryAudioTrack();
      if (!track) return kind === "mp4" ? noTrack(await input.getTracks()) : { state: "cut-short", kind, found: "no audio in it" };
      promisedSeconds = kind === "mp3" ? xingSeconds(head, await track.getSampleRate()) : await track.computeDuration();
      for await (const packet of new EncodedPacketSink(track).packets()) {
        endSeconds = Math.max(endSeconds, packet.timestamp + packet.duration);
      }
    } catch {
      return { state: "cut-short", kind, found: "a header that leads nowhere" };
    }
    const promisedBytes = kind === "wav" ? riffBytes(head) : 0;
    if (promisedBytes > bytes) return { state: "cut-short", kind, found: `${bytes} of ${promisedBytes} bytes` };
    if (promisedSeconds - endSeconds > toleratedGapSeconds) {
      return { state: "cut-short", kind, found: `${endSeconds.toFixed(1)} of ${promisedSeconds.toFixed(1)} s` };
    }
    return { state: "audio", kind, seconds: Math.round(endSeconds * 1000) / 1000 };
  } finally {
    input.dispose();
  }
}

function noTrack(tracks: unknown[]): Measured {
  return tracks.length === 0
    ? { state: "cut-short", kind: "mp4", found: "no table of its tracks" }
    : { state: "other", found: "an MP4 file without an audio track" };
}

/** The size that a RIFF header promises; a writer to a pipe leaves it open with all ones or zero. */
function riffBytes(head: Buffer): number {
  const promised = head.length < 8 ? 0 : head.readUInt32LE(4);
  return promised === 0 || promised === 0xffffffff ? 0 : promised + 8;
}

/** The length that a Xing or Info tag in the first frame of an MP3 promises; 0 when there is none. */
function xingSeconds(head: Buffer, sampleRate: number): number {
  const tag = Math.max(head.indexOf("Xing"), head.indexOf("Info"));
  if (tag < 0 || tag + 12 > head.length || (head.readUInt32BE(tag + 4) & 1) === 0) return 0;
  const samplesPerFrame = sampleRate >= 32_000 ? 1152 : 576;
  return (head.readUInt32BE(tag + 8) * samplesPerFrame) / sampleRate;
}

async function nameOf(head: Buffer): Promise<string> {
  const { filetypeinfo } = await import("magic-bytes.js");
  const type = filetypeinfo(head).find(({ mime }) => mime !== undefined);
  if (type) return `${type.typename.toUpperCase()} (${type.mime})`;
  return head.includes(0) ? "unknown binary data" : "text";
}
