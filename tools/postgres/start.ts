import { spawn } from "node:child_process";
import { join } from "node:path";

export interface Postgres {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a real PostgreSQL. If it cannot start, the promise is rejected with the reason that the server gave. */
export async function startPostgres(): Promise<Postgres> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.mjs")]);
  let errors = "";
  child.stderr.on("data", (data: Buffer) => (errors += data.toString()));
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (data: Buffer) => resolve(data.toString().trim()));
    child.once("error", reject);
    void closed.then((code) =>
      reject(new Error(`PostgreSQL did not start (exit code ${code ?? "none"}): ${errors.trim()}`)),
    );
  });
  return {
    url,
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
}
