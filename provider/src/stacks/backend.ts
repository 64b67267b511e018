import { readFileSync, realpathSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { resolve } from "node:path";
import { attempt } from "../attempt";

/**
 * Identifies a backend by its address. A folder also by its machine, inode and creation time: a folder that was deleted
 * and created again is another backend. Undefined if the backend can't be identified: then it equals no other.
 */
export function backendIdentity(url: string, folder = process.cwd()): string | undefined {
  const [, scheme = "", rest = ""] = /^(\w+):\/\/(.*)$/s.exec(url) ?? [];
  const address = rest.replace(/[?#].*$/s, "");
  if (scheme === "") return undefined;
  // `pulumi whoami` prints the host app.…, and PULUMI_BACKEND_URL has api.….
  if (/^https?$/.test(scheme)) return `${scheme}://${new URL(url).host.replace(/^(api|app)\./, "")}`;
  if (scheme !== "file") return `${scheme}://${address.replace(/^[^/@]*@/, "").replace(/(?<!\/)\/+$/, "")}`;
  return attempt(() => {
    const path = realpathSync(resolve(folder, address.replace(/^~(?=\/|$)/, homedir())));
    const { ino, birthtimeMs } = statSync(path);
    // Not every system has this file.
    const machine = attempt(() => readFileSync("/etc/machine-id", "utf8").trim()) ?? hostname();
    return `file://${machine}${path}#${ino}-${birthtimeMs}`;
  });
}
