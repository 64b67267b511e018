import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { emulate } from "../support/emulate";
import { beginningOf, recordings, wav } from "../support/files";
import { mp3 } from "../media/mp3";
import { mp4 } from "../media/mp4";
import { wavOf } from "../media/wav";
import { createInput, dataUrl, postVoiceCall } from "./voice-call";

/** The emulator checks audio by the contract, and independently of the client. */

async function create(data: string) {
  const emulator = await emulate();
  const { status, body } = await postVoiceCall(emulator, createInput(data));
  return { status, code: body.code, voice: emulator.voices()[0] };
}

/** A silent WAV with the given number of bytes. */
const wavOfBytes = (length: number) => wavOf({ rate: 96_000, channels: 2, dataBytes: length - 44 });

const mediaTypes: Record<string, string> = { ".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4" };
const examples = dirname(recordings.wav);

test.each(readdirSync(examples))("accepts %s of the examples and records its hash", async (name) => {
  const bytes = readFileSync(join(examples, name));
  const audioSha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await create(dataUrl(bytes, mediaTypes[extname(name)]!))).toMatchObject({
    status: 200,
    voice: { audioSha256 },
  });
});

test.each<[string, Buffer, string]>([
  ["a WAV of 20 s", wav(20), "audio/wav"],
  [
    "a WAV that was written to a pipe, with an open header",
    wavOf({ dataSize: 0xffffffff, riffSize: 0xffffffff }),
    "audio/wav",
  ],
  ["an MP3 of 20.088 s, because encoders add silence", mp3({ seconds: 20.088 }), "audio/mpeg"],
  ["an MP4 of 20.1 s, because encoders add silence", mp4({ headerSeconds: 20.1 }), "audio/mp4"],
])("accepts %s", async (_, bytes, mediaType) => {
  expect(await create(dataUrl(bytes, mediaType))).toMatchObject({ status: 200 });
});

test.each<[string, Buffer, string, string]>([
  ["a WAV of 9.99 s", wav(9.99), "audio/wav", "Audio.AudioShortError"],
  ["a WAV of 20.01 s", wav(20.01), "audio/wav", "Audio.DurationLimitError"],
  ["an MP3 of 20.112 s", mp3({ seconds: 20.112 }), "audio/mpeg", "Audio.DurationLimitError"],
  ["an MP4 of 20.11 s", mp4({ headerSeconds: 20.11 }), "audio/mp4", "Audio.DurationLimitError"],
  ["an MP4 with the label audio/mpeg", readFileSync(recordings.m4a), "audio/mpeg", "Audio.DecoderError"],
  ["a media type outside the contract", readFileSync(recordings.m4a), "audio/ogg", "Audio.DecoderError"],
  ["a WAV that is cut short", beginningOf(recordings.wav, 0.95), "audio/wav", "Audio.DecoderError"],
  ["a compressed WAV", wavOf({ encoding: 0x11 }), "audio/wav", "Audio.DecoderError"],
  ["text", Buffer.from("hello"), "audio/wav", "Audio.DecoderError"],
  ["a recording of 10 MB, encoded", wavOfBytes(7_500_000), "audio/wav", "InvalidParameter"],
])("refuses %s", async (_, bytes, mediaType, code) => {
  expect(await create(dataUrl(bytes, mediaType))).toEqual({ status: 400, code, voice: undefined });
});

test("accepts encoded data that is just under 10 MB", async () => {
  const data = dataUrl(wavOfBytes(7_499_996), "audio/wav");
  expect(data.length - "data:audio/wav;base64,".length).toBe(9_999_996);
  expect(await create(data)).toMatchObject({ status: 200 });
});

test.each([
  ["an https URL, which it does not fetch", "https://example.com/a.wav", 200, undefined],
  ["a URL that is not valid", "https:// example", 400, "InvalidURL"],
  ["text that is neither a URL nor a data URL", "a.wav", 400, "Audio.DecoderError"],
])("responds to %s", async (_, data, status, code) => {
  expect(await create(data)).toMatchObject({ status, ...(code && { code }) });
});
