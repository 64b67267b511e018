import { type Box, boxesIn } from "./mp4";

/** The number of samples that a table claims, by kind of table. A table can claim more samples than it has bytes. */
const countsIn: Partial<Record<string, (table: Buffer) => number>> = {
  stts: (table) => sumOf(table, 8, 0),
  ctts: (table) => sumOf(table, 8, 0),
  stsc: (table) => sumOf(table, 12, 4),
  stsz: (table) => numberAt(table, 8),
  stz2: (table) => numberAt(table, 8),
  trun: (table) => numberAt(table, 4),
};

const containers = ["moov", "trak", "mdia", "minf", "stbl", "moof", "traf"];
const numberAt = (table: Buffer, at: number) => (at + 4 <= table.length ? table.readUInt32BE(at) : 0);

/** Sums one number of each entry of the table: the number at the offset `at` of the entry. */
function sumOf(table: Buffer, entryBytes: number, at: number): number {
  const entries = Math.min(numberAt(table, 4), Math.floor((table.length - 8) / entryBytes));
  let sum = 0;
  for (let entry = 0; entry < entries; entry++) sum += numberAt(table, 8 + entry * entryBytes + at);
  return sum;
}

const deepest = 8;

function* tablesIn(content: Buffer, depth = 0): Generator<Box> {
  for (const box of boxesIn(content)) {
    if (containers.includes(box.type) && depth < deepest) yield* tablesIn(box.body, depth + 1);
    else yield box;
  }
}

/**
 * The type of a table in an MP4 file that claims more samples than the file has bytes. A library would loop over all of
 * them: 12 bytes can claim 4,294,967,295 samples. Undefined if there is no such table.
 */
export function overstatedTable(content: Buffer): string | undefined {
  for (const { type, body } of tablesIn(content)) if ((countsIn[type]?.(body) ?? 0) > content.length) return type;
  return undefined;
}
