import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

/*
 * The ad-hoc signature of an executable for macOS, without which no Mac with an Apple processor runs it. `codesign --sign -`
 * makes the same, but only on a Mac. The layout is that of Apple's `cs_blobs.h`, as the linker of Go writes it.
 */

const segment64 = 0x19;
const codeSignature = 0x1d;
const pageSize = 4096;
const hashSize = 32;
/** A code directory of version 0x20400, up to the identifier. */
const directoryHeader = 88;
const superBlobHeader = 20;
const identifier = "pulumi-resource-cloudvoice\0";

interface LoadCommand {
  kind: number;
  at: number;
  size: number;
}

/** Replaces the signature of the file by an ad-hoc one. */
export function signMachO(path: string): void {
  let file = readFileSync(path);
  const old = findSignature(file);
  if (old !== undefined) {
    // A signature can be cut off only at the end, where linkers put it.
    const start = file.readUInt32LE(old.at + 8);
    file = file.subarray(0, start);
  }
  const codeLimit = Math.ceil(file.length / 16) * 16;
  const signatureSize = sizeOfSignature(codeLimit);
  const signed = Buffer.concat([file, Buffer.alloc(codeLimit - file.length)]);
  const command = old?.at ?? appendCommand(signed);
  signed.writeUInt32LE(codeSignature, command);
  signed.writeUInt32LE(16, command + 4);
  signed.writeUInt32LE(codeLimit, command + 8);
  signed.writeUInt32LE(signatureSize, command + 12);
  const linkEdit = segment(signed, "__LINKEDIT");
  const linkEditSize = BigInt(codeLimit + signatureSize) - signed.readBigUInt64LE(linkEdit + 40);
  signed.writeBigUInt64LE(linkEditSize, linkEdit + 48);
  const wholePages = ((linkEditSize + 0x3fffn) / 0x4000n) * 0x4000n;
  signed.writeBigUInt64LE(wholePages, linkEdit + 32);
  writeFileSync(path, Buffer.concat([signed, signatureOf(signed, segment(signed, "__TEXT"))]));
}

/** Whether the file has an ad-hoc signature that fits its content. */
export function isSigned(file: Buffer): boolean {
  const command = findSignature(file);
  if (command === undefined) return false;
  const start = file.readUInt32LE(command.at + 8);
  const code = file.subarray(0, start);
  return signatureOf(code, segment(file, "__TEXT")).equals(file.subarray(start));
}

function sizeOfSignature(codeLimit: number): number {
  return superBlobHeader + directoryHeader + identifier.length + Math.ceil(codeLimit / pageSize) * hashSize;
}

/** A super blob with a code directory: the hashes of all pages. Its numbers are big-endian. */
function signatureOf(code: Buffer, textSegment: number): Buffer {
  const pages = Math.ceil(code.length / pageSize);
  const directorySize = sizeOfSignature(code.length) - superBlobHeader;
  const blob = Buffer.alloc(superBlobHeader + directorySize);
  const words = (at: number, ...values: number[]) =>
    values.forEach((value, index) => blob.writeUInt32BE(value, at + index * 4));
  // Magic, size, one blob: the code directory (0) at its offset.
  words(0, 0xfade0cc0, blob.length, 1, 0, superBlobHeader);
  const directory = superBlobHeader;
  // Magic, size, version, ad hoc (0x2), offsets of the hashes and of the identifier, no special slots, pages, code limit.
  const hashes = directoryHeader + identifier.length;
  words(directory, 0xfade0c02, directorySize, 0x20400, 0x2, hashes, directoryHeader, 0, pages, code.length);
  // Size and kind of a hash (2: SHA-256), no platform, pages of 2^12 bytes.
  blob.set([hashSize, 2, 0, 12], directory + 36);
  // The executable segment: where it is, how large, and that it is the main one.
  blob.writeBigUInt64BE(code.readBigUInt64LE(textSegment + 40), directory + 64);
  blob.writeBigUInt64BE(code.readBigUInt64LE(textSegment + 48), directory + 72);
  blob.writeBigUInt64BE(1n, directory + 80);
  blob.write(identifier, directory + directoryHeader);
  for (let page = 0; page < pages; page++) {
    const content = code.subarray(page * pageSize, Math.min((page + 1) * pageSize, code.length));
    blob.set(createHash("sha256").update(content).digest(), directory + hashes + page * hashSize);
  }
  return blob;
}

function loadCommands(file: Buffer): LoadCommand[] {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error("This is not an executable for macOS with 64 bits.");
  const commands: LoadCommand[] = [];
  let at = 32;
  for (let index = 0; index < file.readUInt32LE(16); index++) {
    const size = file.readUInt32LE(at + 4);
    commands.push({ kind: file.readUInt32LE(at), at, size });
    at += size;
  }
  return commands;
}

function findSignature(file: Buffer): LoadCommand | undefined {
  return loadCommands(file).find(({ kind }) => kind === codeSignature);
}

/** The place of the segment's load command. */
function segment(file: Buffer, name: string): number {
  const found = loadCommands(file).find(
    ({ kind, at }) => kind === segment64 && file.toString("latin1", at + 8, at + 24).replace(/\0+$/, "") === name,
  );
  if (found === undefined) throw new Error(`The executable has no segment ${name}.`);
  return found.at;
}

/** Room for one more load command behind the others. */
function appendCommand(file: Buffer): number {
  const end = 32 + file.readUInt32LE(20);
  if (file.subarray(end, end + 16).some((byte) => byte !== 0))
    throw new Error("The executable has no room for the load command of a signature.");
  file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
  file.writeUInt32LE(file.readUInt32LE(20) + 16, 20);
  return end;
}
