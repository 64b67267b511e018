import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const windows = process.platform === "win32";

interface Download {
  version: string;
  /** The address of the folder with the archive and its checksums. */
  url: string;
  /** An existing folder for the engine's files. */
  into: string;
}

/** Downloads the official archive of Pulumi, verifies its checksum and unpacks it. */
export async function downloadEngine({ version, url, into }: Download): Promise<void> {
  const archive = archiveName(version);
  const expected = await expectedChecksum(`${url}/pulumi-${version}-checksums.txt`, archive);
  const bytes = Buffer.from(await (await fetchOk(`${url}/${archive}`)).arrayBuffer());
  if (createHash("sha256").update(bytes).digest("hex") !== expected)
    throw new Error(`${archive} does not match its checksum`);
  unpack(archive, bytes, into);
}

function archiveName(version: string): string {
  const system = { darwin: "darwin", linux: "linux", win32: "windows" }[process.platform as string];
  const machine = { x64: "x64", arm64: "arm64" }[process.arch as string];
  if (!system || !machine) throw new Error(`Pulumi publishes no archive for ${process.platform}-${process.arch}`);
  return `pulumi-v${version}-${system}-${machine}.${windows ? "zip" : "tar.gz"}`;
}

async function expectedChecksum(url: string, archive: string): Promise<string> {
  const lines = (await (await fetchOk(url)).text()).split("\n");
  const checksum = lines.find((line) => line.endsWith(archive))?.split(/\s+/)[0];
  if (checksum === undefined) throw new Error(`${url} has no checksum of ${archive}`);
  return checksum;
}

function unpack(archive: string, bytes: Buffer, into: string): void {
  const work = mkdtempSync(join(tmpdir(), "pulumi-"));
  try {
    writeFileSync(join(work, archive), bytes);
    // The tar of Windows is bsdtar, which also reads zip archives.
    execFileSync("tar", ["-xf", archive], { cwd: work, stdio: "pipe" });
    const unpacked = windows ? join(work, "pulumi", "bin") : join(work, "pulumi");
    cpSync(unpacked, into, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function fetchOk(url: string): Promise<Response> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(url.endsWith(".txt") ? 20_000 : 600_000) });
    if (response.ok) return response;
    throw new Error(`the server responded with status ${response.status}`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${url} could not be downloaded: ${why}`, { cause: error });
  }
}
