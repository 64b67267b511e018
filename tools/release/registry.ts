import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port";

/** The registry depends on `node-fetch@cjs`, a tag that other registries may lack, so `node-fetch` is overridden. */
export const registryPackage = "verdaccio@6.2.4";
export const registryOverrides = { "node-fetch": "2.7.0" };

/** Starts an empty registry, which asks `others` for other packages. `token` may publish. `stop` ends it. */
export async function startRegistry(modules: string, folder: string, others: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(folder, { recursive: true });
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { others: { url: others, maxage: "1h" } },
    packages: {
      "pulumi-cloudvoice": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "others" },
    },
    max_body_size: "100mb",
    log: { type: "stdout", level: "warn" },
  };
  // JSON is YAML too.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const script = join(modules, "verdaccio", "bin", "verdaccio");
  const args = [script, "--config", join(folder, "config.yaml"), "--listen", `127.0.0.1:${port}`];
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  await answers(url, child);
  return { url, token: await newUser(url), stop: () => child.kill() };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const response = await fetch(`${url}/-/ping`).catch(() => undefined);
    if (response?.ok === true) return;
    await delay(100);
  }
  throw new Error("The registry did not start.");
}

async function newUser(url: string): Promise<string> {
  const response = await fetch(`${url}/-/user/org.couchdb.user:release`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "release", password: "for-this-run-only" }),
  });
  const { token } = (await response.json()) as { token?: string };
  if (token === undefined) throw new Error(`The registry made no user: HTTP ${response.status}.`);
  return token;
}
