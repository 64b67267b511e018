import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { environmentName, keyInClear, readSettings, settingNames, type Settings } from "../rules/settings";
import { describeThrown } from "../describe-thrown";
import { connect } from "../service/connect";
import { decisionPath } from "../service/decisions/client";
import { type FindSetting, findSettingsOf, programFolder, pulumiOutput } from "./stack";

interface Finding {
  about: string;
  state: "ok" | "warning" | "fault";
  says: string;
}

interface Options {
  stack?: string;
  json?: boolean;
}

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check settings, reachability, key, quota and engine; makes no billed call")
    .option("--stack <name>", "read the settings of this stack too (in the project's folder)")
    .option("--json", "as JSON")
    .action(examine);
}

async function examine({ stack, json = false }: Options): Promise<void> {
  // A stack that can't be asked is a finding too, and the environment alone still tells something.
  const asked = await findSettingsOf(stack).then(
    (find) => ({ find, faults: [] }),
    async (error: unknown) => ({
      find: await findSettingsOf(undefined),
      faults: [{ about: "the stack", state: "fault", says: describeThrown(error).message } as const],
    }),
  );
  const findings = [
    ...(await engineFindings()),
    ...asked.faults,
    ...(await settingFindings(asked.find, stack)),
    ...(await serviceFindings(asked.find)),
  ];
  if (json) console.log(JSON.stringify({ findings }, null, 2));
  else {
    const { default: Table } = await import("cli-table3");
    const table = new Table({
      head: ["", "about", ""],
      style: { head: [], border: [] },
      colWidths: [10, 26, 80],
      wordWrap: true,
      wrapOnWordBoundary: false,
    });
    for (const { state, about, says } of findings)
      table.push([state === "ok" ? "ok" : state.toUpperCase(), about, says]);
    console.log(table.toString());
  }
  process.exitCode = findings.some(({ state }) => state === "fault") ? 1 : 0;
}

async function engineFindings(): Promise<Finding[]> {
  const { stdout, failure } = await pulumiOutput(["version"], undefined);
  const folder = programFolder();
  return Promise.all([
    finding("Pulumi", () => {
      if (failure !== undefined) throw new Error(`${failure}. See https://www.pulumi.com/docs/install/`);
      return stdout.trim();
    }),
    atLeast("Node.js", process.versions.node, [20, 19]),
    finding("the program's folder", () => folder),
    atLeast("@pulumi/pulumi there", versionIn(folder, "@pulumi/pulumi"), [3, 216]),
    finding("pulumi-cloudvoice there", () => versionIn(folder, "pulumi-cloudvoice") ?? missing("pulumi-cloudvoice")),
    // Programs in JavaScript do without it.
    atLeast("typescript there", versionIn(folder, "typescript"), [5, 0]).then(asWarning),
  ]);
}

async function settingFindings(find: FindSetting, stack: string | undefined): Promise<Finding[]> {
  const given = settingNames.flatMap((name): Finding[] => {
    const found = find(name);
    if (!found) return [];
    if (name !== "apiKey")
      return [{ about: name, state: "ok", says: `${withoutCredentials(found.value)}, from ${found.source}` }];
    if (found.inClear) return [{ about: name, state: "fault", says: keyInClear }];
    return [{ about: name, state: "ok", says: `set, from ${found.source}` }];
  });
  const checked = await finding("settings", () => {
    readSettings(find);
    return `${given.length} given, the others have their defaults${stack === undefined ? "; from the environment alone: --stack reads a stack's too" : ""}`;
  });
  return [checked, ...given];
}

async function serviceFindings(find: FindSetting): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = readSettings(find);
  } catch {
    // Told with the settings.
    return [];
  }
  // One try each, soon over: who asks a doctor wants to know what is wrong now.
  const service = connect({
    ...settings,
    maxRetries: 0,
    requestTimeoutMs: Math.min(settings.requestTimeoutMs, 10_000),
  });
  try {
    return [
      await finding("voices", async () => {
        const count = (await service.account.voices()).length;
        const says = `reached, the key is accepted; ${count} of ${settings.voiceQuota} voices`;
        return count < settings.voiceQuota ? says : { state: "warning", says: `${says}: it is full` };
      }),
      await finding("images", async () => {
        await service.images.poll(randomUUID());
        return "reached, the key is accepted";
      }),
      await finding("decisions", async () => {
        if (settings.decisionBaseUrl === undefined)
          throw new Error(`no address: set cloudvoice:baseUrl, or ${environmentName("baseUrl")}`);
        // Without a key, so that nothing is billed: the service refuses it, and something else at this address does not.
        const { status } = await service.http.send({
          method: "POST",
          url: `${settings.decisionBaseUrl}${decisionPath}`,
          headers: { "content-type": "application/json" },
          body: () => "{}",
        });
        if (status !== 401 && status !== 403)
          throw new Error(`a call without a key is answered with HTTP ${status}, and not refused: check the address`);
        return "reached; the key is not tried there, because each call is billed";
      }),
    ];
  } finally {
    await service.close();
  }
}

type Look = string | Omit<Finding, "about">;

async function finding(about: string, look: () => Look | Promise<Look>): Promise<Finding> {
  try {
    const seen = await look();
    return typeof seen === "string" ? { about, state: "ok", says: seen } : { about, ...seen };
  } catch (error) {
    return { about, state: "fault", says: describeThrown(error).message };
  }
}

function atLeast(about: string, version: string | undefined, [major, minor]: [number, number]): Promise<Finding> {
  return finding(about, () => {
    if (version === undefined) return missing(about.replace(/ there$/, ""));
    const [isMajor = 0, isMinor = 0] = version.split(".").map(Number);
    if (isMajor > major || (isMajor === major && isMinor >= minor)) return version;
    throw new Error(`${version}; ${major}.${minor} or newer is needed`);
  });
}

function asWarning(row: Finding): Finding {
  return row.state === "fault" ? { ...row, state: "warning" } : row;
}

/** An address may carry what nobody should read on a screen. */
function withoutCredentials(value: string): string {
  return value.replace(/\/\/[^/@]*@/, "//…@").replace(/\?.*$/, "?…");
}

function missing(name: string): never {
  throw new Error(`not found; npm install ${name}`);
}

function versionIn(folder: string, name: string): string | undefined {
  try {
    const file = createRequire(join(folder, "program.js")).resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(join(dirname(file), "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}
