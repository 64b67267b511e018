import { box, mp4, numbers } from "./mp4";

const none = (type: string, count = 1) => box(type, numbers(0, ...Array.from({ length: count }, () => 0)));

/** The boxes of a file in one fragment, of 24 bytes a frame, with so many entries in the index of its fragments. */
export function fragmentedMp4(frames: number, entries: number): Buffer {
  const index = box("tfra", numbers(0, 1, 0, entries), Buffer.alloc(entries * 11));
  const track = box(
    "traf",
    box("tfhd", numbers(0x20038, 1, 1024, 24, 0)),
    box("tfdt", numbers(0, 0)),
    box("trun", numbers(1, frames, 0)),
  );
  return mp4({
    seconds: 0,
    tableFirst: true,
    tables: () => [none("stts"), none("stsc"), none("stsz", 2), none("stco")],
    inMoov: [box("mvex", box("mehd", numbers(0, frames * 1024)), box("trex", numbers(0, 1, 1, 1024, 24, 0)))],
    behind: [
      box("moof", box("mfhd", numbers(0, 1)), track),
      box("mdat", Buffer.alloc(frames * 24, 1)),
      box("mfra", index, box("mfro", numbers(0, index.length + 24))),
    ],
  });
}

/** No count in it is wrong, and a library needs hours for it: it removes equal entries one by one. */
export const endlessMp4 = () => fragmentedMp4(281, 700_000);
