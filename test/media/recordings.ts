import { readFileSync } from "node:fs";
import { recordings as speech } from "../support/files";
import { box, mp4, type Mp4Options } from "./mp4";
import { id3, mp3, mp3Frames, type Mp3Options, xing } from "./mp3";
import { chunk, wavOf, type WavOptions } from "./wav";

/** What is true of a recording: whether the service may take it, and what is odd about it or certainly wrong. */
export interface Truth {
  verdict: "accepted" | "warning" | "refused";
  says?: RegExp;
  seconds?: number;
}

export type Recording = [name: string, bytes: Buffer, truth: Truth];

const accepted = (seconds?: number): Truth => ({ verdict: "accepted", ...(seconds !== undefined && { seconds }) });
const odd = (says: RegExp): Truth => ({ verdict: "warning", says });
const refused = (says: RegExp): Truth => ({ verdict: "refused", says });

const plain = wavOf();
const wav = (name: string, options: WavOptions, truth: Truth = accepted(12)): Recording => [
  `WAV ${name}`,
  wavOf(options),
  truth,
];
const text = (content: string) => Buffer.from(content, "latin1");

/** The sizes that writers to pipes leave. */
const unmeant = [
  0, 0xffffffff, 0x7fffffff, 0x7fffffbf, 0x7fffff9b, 0x7ffff000, 0x80000000, 0x80000024, 0xfffffff0, 2_000_000_036,
];

function* wavs(): Generator<Recording> {
  for (const bits of [8, 16, 24, 32])
    for (const channels of [1, 2, 6]) yield wav(`of ${bits} bits and ${channels} channels`, { bits, channels });
  for (const rate of [11_025, 16_000, 22_050, 24_000, 44_100, 48_000]) yield wav(`of ${rate} Hz`, { rate });
  yield wav("of float, 32 bits", { encoding: 3, bits: 32 });
  yield wav("of A-law", { encoding: 6, bits: 8 });
  yield wav("of µ-law", { encoding: 7, bits: 8 });
  yield wav("of an extensible format", { encoding: 0xfffe, inside: 3, bits: 32 });
  for (const seconds of [10, 20]) yield wav(`of ${seconds} s`, { seconds }, accepted(seconds));
  for (const seconds of [1, 9.99]) yield wav(`of ${seconds} s`, { seconds }, refused(/shorter than the 10 s/));
  for (const seconds of [20.01, 28, 100])
    yield wav(`of ${seconds} s`, { seconds }, refused(/longer than the 20 s.*`ffmpeg -i in\.wav -t 20/));

  for (const size of unmeant) {
    const hex = `0x${size.toString(16)}`;
    const truth = { ...odd(/header lacks the sizes/), seconds: 12 };
    yield wav(`from a pipe, with the sizes ${hex}`, { dataSize: size, riffSize: size }, truth);
    yield wav(`from a pipe, with the size ${hex} of its data`, { dataSize: size }, truth);
  }
  yield wav("whose whole has no size", { riffSize: 0 }, odd(/lacks the sizes/));
  for (const excess of [1, 8, 44])
    yield wav(
      `whose size is ${excess} too large`,
      { riffSize: plain.length - 8 + excess },
      odd(/its last \d+ bytes are missing/),
    );
  for (const lack of [1, 8, 1000]) yield wav(`whose size is ${lack} too small`, { riffSize: plain.length - 8 - lack });
  for (const name of ["LIST", "JUNK", "bext", "iXML", "cue ", "smpl", "PEAK", "fake"])
    yield wav(`with ${name} before its data`, { before: [chunk(name, Buffer.alloc(31, 1))] });
  for (const name of ["LIST", "id3 ", "afsp"])
    yield wav(`with ${name} behind its data`, { after: [chunk(name, Buffer.alloc(31))] });
  // Two files in one were reported publicly.
  for (const tail of ["\0", "TAG" + " ".repeat(125), plain.toString("latin1")])
    yield [`WAV with ${tail.length} bytes behind its end`, Buffer.concat([plain, text(tail)]), accepted(12)];

  yield ["WAV that lacks its last 10 bytes", plain.subarray(0, -10), odd(/last 10 bytes are missing/)];
  for (const share of [0.05, 0.5, 0.95])
    yield [
      `WAV of which ${share} is there`,
      plain.subarray(0, plain.length * share),
      refused(/cut short: \d+ of 192044 bytes/),
    ];
  yield ["WAV cut in its header", plain.subarray(0, 40), refused(/cut short/)];
  yield ["WAV without data", wavOf({ dataBytes: 0 }), refused(/cut short|shorter/)];
  yield [
    "WAV without data, before a list",
    wavOf({ dataBytes: 0, after: [chunk("LIST", Buffer.alloc(30))] }),
    refused(/shorter/),
  ];
  const chunks = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(1024 * 1024)]);
  yield ["WAV of 131,072 empty chunks", chunks, refused(/its audio data is missing/)];
  yield [
    "WAV without a format",
    Buffer.concat([text("RIFF\x14\0\0\0WAVE"), chunk("data", Buffer.alloc(99))]),
    refused(/cut short/),
  ];

  // Kinds from public reports: the format behind the data, a mask of channels that was overwritten.
  const [format, data] = [plain.subarray(12, 36), plain.subarray(36)];
  yield ["WAV with its format behind its data", Buffer.concat([plain.subarray(0, 12), data, format]), accepted(12)];
  const masked = wavOf({ encoding: 0xfffe, inside: 1 });
  masked.writeUInt32LE(0xffffffff, 40);
  yield ["WAV of an extensible format with a wrong mask of channels", masked, accepted(12)];

  yield wav("without bytes a second", { bytesPerSecond: 0 });
  yield wav("with half of its bytes a second", { bytesPerSecond: 8000 }, odd(/length is 12\.0 s or 24\.0 s/));
  yield wav("without channels", { channels: 0, dataBytes: 192_000, bytesPerSecond: 16_000 }, odd(/PCM|length|unusual/));
  yield wav("without a rate", { rate: 0, dataBytes: 192_000 }, odd(/length/));

  const compressed = { bits: 8, dataBytes: 112_000, bytesPerSecond: 8000 };
  for (const encoding of [0x02, 0x11, 0x31, 0x55, 0x65])
    yield wav(`of the encoding ${encoding}`, { ...compressed, encoding }, odd(/not PCM.*its length can't be measured/));
  yield wav("of an encoding that nobody knows", { encoding: 0x4242 }, odd(/the format tag 16962/));
  yield wav("of compressed sound, without bytes a second", { encoding: 0x11, bytesPerSecond: 0 }, odd(/not PCM/));

  yield ["RIFX", Buffer.concat([text("RIFX"), plain.subarray(4)]), refused(/is a RIFX file.*`ffmpeg/)];
  yield ["BW64", Buffer.concat([text("BW64"), plain.subarray(4)]), refused(/is a BW64 file.*`ffmpeg/)];
  yield ["RF64", Buffer.concat([text("RF64\xff\xff\xff\xff"), plain.subarray(8)]), odd(/RF64/)];
  yield ["WAV behind an ID3 tag", Buffer.concat([id3(2000), plain]), refused(/WAV.*after an ID3 tag.*`ffmpeg/)];
  yield ["speech", readFileSync(speech.wav), accepted(13.738)];
}

function* mp3s(): Generator<Recording> {
  const of = (name: string, options: Mp3Options, truth = accepted()): Recording => [`MP3 ${name}`, mp3(options), truth];
  for (const rate of [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000])
    yield of(`of ${rate} Hz`, { rate });
  for (const kbps of [32, 48, 96, 160]) yield of(`of ${kbps} kbit/s`, { kbps: [kbps] });
  yield of("of changing bit rates", { kbps: [32, 64, 128, 40] });
  const frames = mp3Frames();
  const body = Buffer.concat(frames);
  const behind = (name: string, ...parts: Buffer[]): Recording => [
    `MP3 ${name}`,
    Buffer.concat([...parts, body]),
    accepted(),
  ];
  yield behind("behind a tag", id3(500));
  yield behind("behind a tag with a cover", id3(200_000));
  yield behind("behind two tags", id3(500), id3(300));
  for (const tail of ["TAG" + " ".repeat(125), "APETAGEX" + "\0".repeat(80), "LYRICSBEGIN" + "x".repeat(50)])
    yield [`MP3 before ${tail.slice(0, 8)}`, Buffer.concat([body, text(tail)]), accepted()];
  yield ["MP3 with a part of a frame at its end", body.subarray(0, -50), accepted()];

  for (const junk of [10, 5000]) yield behind(`that begins ${junk} bytes behind its tag`, id3(100), Buffer.alloc(junk));
  yield [
    "MP3 that begins 60000 bytes behind its tag",
    Buffer.concat([id3(100), Buffer.alloc(60_000), body]),
    odd(/60000 of its bytes do not belong to a frame/),
  ];
  const long = mp3({ seconds: 13 });
  for (const from of [1, 2, 3, 5, 17, 50, 99, 120, 150, 191, 230, 333])
    yield [`MP3 that begins inside a frame, at ${from}`, long.subarray(from), accepted()];
  const cutOut = readFileSync(speech.mp3).subarray(5000);
  for (const from of [0, 40, 80, 120])
    yield [`speech as MP3 that begins inside a frame, at ${from}`, cutOut.subarray(from), accepted()];
  // The bytes of a header inside a frame.
  const misleading = Buffer.concat([Buffer.from("fffb9064", "hex"), Buffer.alloc(70, 1), body]);
  yield ["MP3 that begins with a part that looks like another frame", misleading, accepted(12)];
  const gap = Buffer.alloc(700, 3);
  yield [
    "MP3 with something else in its middle",
    Buffer.concat([...frames.slice(0, 250), gap, ...frames.slice(250)]),
    accepted(12),
  ];

  const count = (seconds: number) => Math.round((seconds * 24_000) / 576);
  const tagged = (seconds: number, promised: number, padding?: [number, number]) =>
    Buffer.concat([xing(count(promised), padding && { padding }), ...mp3Frames({ seconds })]);
  yield ["MP3 with its number of frames", tagged(12, 12), accepted()];
  yield ["MP3 with its number of frames, and the silence", tagged(12, 12, [576, 576]), accepted(11.952)];
  yield ["MP3 of 20 s and silence that is known", tagged(20.064, 20.064, [576, 960]), accepted(20)];
  yield [
    "MP3 of 20.05 s without the silence that is known",
    tagged(20.112, 20.112, [576, 960]),
    refused(/20\.048 s long, longer/),
  ];
  yield ["MP3 of 20.2 s with silence", mp3({ seconds: 20.2 }), odd(/including silence/)];
  const frames36ms = Buffer.alloc(4 * 1024 * 1024, "fff318c4", "hex");
  yield ["MP3 of more than an hour in 4 MB", frames36ms, { ...refused(/longer/), seconds: 600.012 }];
  const byVbri = (frame: Buffer) => {
    frame.write("VBRI", 36);
    frame.writeUInt32BE(count(12), 50);
    return frame;
  };
  const [half = Buffer.alloc(0), ...halfFrames] = mp3Frames({ seconds: 6 });
  yield ["MP3 of which the half is there, by VBRI", Buffer.concat([byVbri(half), ...halfFrames]), refused(/cut short/)];
  yield ["MP3 of which the half is there", tagged(6, 12), refused(/cut short: 6\.0 of 12\.0 s/)];
  // Kinds from public reports: no frames by the header, and a header with another bit rate than the sound.
  yield ["MP3 with a header of no frames", tagged(12, 0), accepted(12)];
  yield [
    "MP3 whose header has another bit rate",
    Buffer.concat([xing(500), ...mp3Frames({ seconds: 12, kbps: [32] })]),
    accepted(12),
  ];
  yield ["MP3 whose number of frames is too small", tagged(14, 6), odd(/header states 6\.0 s/)];
  yield ["MPEG layer 2", Buffer.concat(Array.from({ length: 300 }, () => layer2Frame)), odd(/layer 2/)];
  yield ["MP3 that is only a tag", id3(5000), refused(/./)];
  yield ["MP3 of zeros behind a tag", Buffer.concat([id3(100), Buffer.alloc(200_000)]), refused(/./)];
  yield ["speech as MP3", readFileSync(speech.mp3), accepted(14.258)];
}

/** 24 kHz, 64 kbit/s. */
const layer2Frame = Buffer.concat([Buffer.from([0xff, 0xf5, 0x84, 0xc0]), Buffer.alloc(380)]);

function* mp4s(): Generator<Recording> {
  const of = (name: string, options: Mp4Options, truth = accepted()): Recording => [`MP4 ${name}`, mp4(options), truth];
  for (const brand of ["M4A ", "mp42", "isom", "M4B ", "M4V ", "dash", "iso6", "mp41"])
    yield of(`of the brand ${brand}`, { brand });
  yield of("with its table first", { tableFirst: true });
  yield of("with a size of 64 bits", { mdat: "long" });
  yield of("whose data goes to its end", { tableFirst: true, mdat: "open" });
  const brandless = { ...odd(/first box does not identify it as MP4/), seconds: 11.989 };
  yield of("without a brand", { brand: undefined }, brandless);
  yield of(
    "without a brand, with its table first",
    { brand: undefined, tableFirst: true },
    odd(/first box.*length can't be measured/),
  );
  const cutBrandless = mp4({ brand: undefined }).subarray(0, 5000);
  yield ["MP4 without a brand of which the half is there", cutBrandless, refused(/table of tracks is missing/)];
  yield of("of the brand 3gp4", { brand: "3gp4" }, odd(/is 3GP/));
  yield of("of the brand qt", { brand: "qt  " }, refused(/MOV \(video\/quicktime\).*`ffmpeg/));
  const codecs = {
    alac: "alac",
    fLaC: "flac",
    Opus: "opus",
    "ac-3": "ac3",
    "ec-3": "eac3",
    ".mp3": ".mp3",
    samr: "samr",
  };
  for (const [codec, name] of Object.entries(codecs))
    yield of(`with ${codec}`, { codec }, odd(new RegExp(`sound is ${name}, not AAC`)));
  yield of("with MP3 as mp4a", { kind: 0x6b }, odd(/sound is mp3, not AAC/));
  yield of("that is encrypted", { codec: "enca" }, refused(/encrypted MP4/));
  yield of("that a shop protects", { codec: "drms" }, refused(/encrypted MP4/));
  yield of("without sound", { handler: "vide" }, refused(/without an audio track/));
  yield of("with an edit list that leaves the silence out", { seconds: 14.08, shows: [14, 0.043] }, accepted(14));
  yield of("of 44 s that shows 14 s", { seconds: 44, shows: [14, 10] }, odd(/edit list plays 14\.0 s of its 44\.0 s/));
  yield of("of 14 s that shows 6 s", { seconds: 14, shows: [6] }, odd(/edit list plays 6\.0 s of its 14\.0 s/));
  yield of("of 20.05 s without the silence", { seconds: 20.1, shows: [20.05] }, refused(/20\.05 s long, longer/));
  yield of("of 20 s without the silence", { seconds: 20.1, shows: [20] }, accepted(20));
  yield of("of 20.2 s", { seconds: 20.2 }, odd(/including silence/));
  yield of(
    "of HE-AAC, whose header counts twice",
    { seconds: 7, headerSeconds: 14 },
    odd(/length is 7\.0 s or 14\.0 s/),
  );
  const first = mp4({ tableFirst: true });
  const last = mp4();
  for (const share of [0.6, 0.9])
    yield [
      `MP4 of which ${share} is there, behind its table`,
      first.subarray(0, first.length * share),
      refused(/cut short: \d+\.\d of 12\.0 s/),
    ];
  yield ["MP4 with a part of its table first", first.subarray(0, 450), refused(/table of tracks is missing/)];
  yield ["MP4 without its table", last.subarray(0, last.length / 2), refused(/table of tracks is missing/)];
  yield ["MP4 whose table at its end is cut", last.subarray(0, -200), refused(/table of tracks is missing/)];
  const alac = mp4({ codec: "alac", tableFirst: true });
  yield ["MP4 with ALAC of which the half is there", alac.subarray(0, alac.length / 2), refused(/cut short/)];
  yield ["speech as M4A", readFileSync(speech.m4a), accepted(14.461)];
}

/** Files of other kinds, under the names of recordings: each refusal says what the file is, and what to do. */
function* others(): Generator<Recording> {
  const sound = mp3({ seconds: 12 });
  const is = (name: string, bytes: Buffer | string, says: RegExp): Recording => [
    name,
    typeof bytes === "string" ? text(bytes) : bytes,
    refused(says),
  ];
  const filled = (head: string, bytes = 4000) => Buffer.concat([text(head), Buffer.alloc(bytes)]);
  const zip = Buffer.concat([
    Buffer.from("504b03040a0000000000000000000000000000000000000000000c0000006e61727261746f722e6d7033", "hex"),
    sound,
  ]);
  const sounds: [name: string, bytes: Buffer, says: string][] = [
    ["FLAC", filled("fLaC\0\0\0\x22"), "FLAC"],
    ["FLAC behind a tag", Buffer.concat([id3(300), filled("fLaC\0\0\0\x22")]), "FLAC.*after an ID3 tag"],
    ["AIFF-C", filled("FORM\0\0\x10\0AIFCFVER"), "AIFF-C"],
    ["CAF", filled("caff\0\x01\0\0desc"), "CAF"],
    ["WMA", filled("\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c"), "Windows Media|ASF"],
    [
      "MPEG program stream with MP3",
      Buffer.concat([text("\0\0\x01\xba\x21\0\x01\0\x01\x80\0\x01\0\0\x01\xc0\x07\xec"), sound]),
      "MPG",
    ],
    ["Matroska", filled("\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska\x18\x53\x80\x67"), "MKV"],
    ["Sun AU", filled(".snd\0\0\0\x18"), "Sun AU"],
    ["Wave64", filled("riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb"), "Wave64"],
  ];
  for (const [name, bytes, says] of sounds)
    yield is(name, bytes, new RegExp(`^is .*(${says}).*; \`ffmpeg -i in\\.file -ac 1 -ar 24000 out\\.wav\` converts`));
  yield is(
    "AAC without a container",
    Buffer.alloc(3840, Buffer.concat([Buffer.from("fff15840180ffc", "hex"), Buffer.alloc(185)])),
    /AAC.*`ffmpeg/,
  );
  yield is("MP3 in a ZIP archive", zip, /is ZIP /);
  yield is("gzip", filled("\x1f\x8b\x08\0\0\0\0\0"), /GZ/);
  yield is("HEIC named .m4a", Buffer.concat([box("ftyp", text("heic\0\0\0\0mif1heic")), Buffer.alloc(4000)]), /HEIC/);
  yield is("an HTML page", "<!doctype html><title>Sign in</title>", /is an HTML page/);
  yield is("JSON", '{"error":{"code":404}}', /is JSON/);
  yield is("XML of a bucket", "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>", /XML/);
  yield is(
    "a pointer of Git LFS",
    "version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
    /Git LFS.*`git lfs pull`/,
  );
  yield is("a text", "Hello\n", /is text/);
  yield is("one zero", Buffer.alloc(1), /unknown kind/);
  yield is("zeros", Buffer.alloc(100_000), /unknown kind/);
  yield is(
    "random bytes",
    Buffer.from(Array.from({ length: 100_000 }, (_, at) => (Math.imul(at * at + 7, 2_654_435_761) >>> 24) & 0xff)),
    /unknown kind/,
  );
  yield is("nothing", Buffer.alloc(0), /is an empty file/);
}

export const media: Recording[] = [...wavs(), ...mp3s(), ...mp4s(), ...others()];
