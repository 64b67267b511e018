/**
 * `npm run bench`: what whole commands cost on a stack of many voices, each with a recording of its own, in the forms of
 * this package and in a script. docs/performance.md has the figures. `--only` takes names of the record `cases`,
 * separated by commas.
 *
 * The environment is passed on: `PULUMI_SKIP_CHECKPOINTS=true npm run bench -- --only catalog-yaml`.
 */
import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Emulator, startEmulator } from "../provider/emulator";
import { wavHeader } from "../provider/emulator/sample-recording";
import { measure, type Measurement } from "./bench/measure";
import { getEngine } from "./engine/engine";
import { pluginStack, writeProgram } from "./plugin-stack";
import { Stack } from "./stack";

const { values: options } = parseArgs({
  options: {
    voices: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "script,catalog-yaml,catalog-native,nothing-yaml,nothing-js" },
    /** The number of stacks that run at once and share the voices. The account accepts 10 creates a second. */
    pipelines: { type: "string", default: "1" },
  },
});
const pipelines = Number(options.pipelines);
const log = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const operations = ["up", "preview", "refresh", "ten changed", "destroy"] as const;
const argumentsOf = {
  up: ["up", "--yes", "--skip-preview"],
  preview: ["preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  "ten changed": ["up", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

interface Project {
  env: NodeJS.ProcessEnv;
  command: (operation: (typeof operations)[number]) => string[];
  stateBytes: () => number;
}
type Account = Pick<Emulator, "url" | "apiKey">;
type Prepare = (folder: string, keys: string[], account: Account) => Promise<Project>;

const targetModel = "svc3-tts-vc-2026-01-22";
const entriesOf = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, { audio: `audio/${key}.wav` }]));

const ofStack = ({ folder, env }: Stack): Project => ({
  env,
  command: (operation) => ["pulumi", ...argumentsOf[operation], "--non-interactive"],
  stateBytes: () => {
    const stacks = join(folder, ".local", "state", ".pulumi", "stacks");
    const [file = ""] = readdirSync(stacks, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.json(\.\w+)?$/.test(name),
    );
    return statSync(join(stacks, file)).size;
  },
});

const settings = { CLOUDVOICE_VOICE_QUOTA: "1000000" };

const inYaml =
  (type?: string): Prepare =>
  async (folder, keys, account) => {
    const stack = await pluginStack(folder, account, { settings });
    const properties = { defaults: { targetModel }, voices: entriesOf(keys) };
    if (type === undefined) writeProgram(folder, { resources: {} });
    else
      writeProgram(folder, {
        resources: { voices: { type, properties } },
        outputs: { manifest: "${voices.manifest}" },
      });
    return ofStack(stack);
  };

const inJavaScript =
  (body: string, native = false): Prepare =>
  async (folder, keys, account) => {
    const stack = await Stack.in(folder, account, { settings, native });
    return ofStack(stack.program(`const voices = ${JSON.stringify(entriesOf(keys))};\n${body}`));
  };

const cases: Record<string, Prepare> = {
  script: (folder, _, { url, apiKey }) => {
    copyFileSync(join(__dirname, "bench", "script.mjs"), join(folder, "script.mjs"));
    return Promise.resolve({
      env: { ...process.env, CLOUDVOICE_BASE_URL: url, CLOUDVOICE_API_KEY: apiKey },
      command: (operation) => ["node", "script.mjs", operation === "ten changed" ? "up" : operation],
      stateBytes: () => statSync(join(folder, "voices.json")).size,
    });
  },
  "catalog-yaml": inYaml("cloudvoice:VoiceCatalog"),
  "catalog-native": inJavaScript(
    "exports.manifest = new cv.VoiceCatalog('voices', { defaults: { targetModel: model }, voices }).manifest;",
    true,
  ),
  classes: inJavaScript(
    "for (const key of Object.keys(voices)) new cv.CloudVoice(key, { targetModel: model, ...voices[key] });",
  ),
  "nothing-yaml": inYaml(),
  "nothing-js": inJavaScript(""),
};

/** Twelve seconds of sound, 576 KB, different for each number. */
function recording(number: number): Buffer {
  const data = Buffer.alloc(576_000);
  for (let at = 0; at < data.length; at += 2) data.writeInt16LE(Math.round(9000 * Math.sin(at / 17)), at);
  data.writeInt32LE(number, 2000);
  return Buffer.concat([wavHeader({ rate: 24_000, channels: 1, dataBytes: data.length }), data]);
}

interface Row extends Measurement {
  name: string;
  voices: number;
  operation: string;
  calls: string;
  /** The billed voices, and those in the account at the end. */
  billed: number;
  left: number;
  stateBytes?: number;
}

async function measureCase(name: string, prepare: Prepare, voices: number, base: string): Promise<Row[]> {
  const emulator = await startEmulator({
    voiceQuota: 1_000_000,
    ...(pipelines > 1 && { callsPerSecond: { create: 10 } }),
  });
  const keys = Array.from({ length: voices / pipelines }, (_, index) => `v${index}`);
  const projects = [];
  for (let index = 0; index < pipelines; index++) {
    const folder = mkdtempSync(join(base, `${name}-`));
    mkdirSync(join(folder, "audio"));
    for (const key of keys) linkSync(join(base, `${key}.wav`), join(folder, "audio", `${key}.wav`));
    projects.push({ folder, ...(await prepare(folder, keys, emulator)) });
  }
  const rows: Row[] = [];
  for (const operation of operations) {
    const firstCall = emulator.ledger().length;
    if (operation === "ten changed")
      for (const { folder } of projects)
        for (const key of keys.slice(0, 10)) {
          rmSync(join(folder, "audio", `${key}.wav`));
          linkSync(join(base, `other-${key}.wav`), join(folder, "audio", `${key}.wav`));
        }
    const measured = await Promise.all(
      projects.map(({ folder, env, command }) => measure(folder, env, command(operation))),
    );
    const { calls, voicesBilled: billed } = emulator.summary(undefined, firstCall);
    const row: Row = {
      ...{ name, voices, operation, billed, left: emulator.voices().length },
      seconds: Math.max(...measured.map(({ seconds }) => seconds)),
      cpu: measured.reduce((sum, { cpu }) => sum + cpu, 0),
      megabytes: Math.max(...measured.map(({ megabytes }) => megabytes)),
      calls: Object.entries(calls)
        .map(([action, count]) => `${action} ${count}`)
        .join(", "),
      ...(operation === "up" && { stateBytes: Math.round((projects[0]?.stateBytes() ?? NaN) / keys.length) }),
    };
    log(`${voices} voices, ${name}: ${operation} ${row.cpu.toFixed(1)} s of CPU, ${row.seconds.toFixed(1)} s`);
    rows.push(row);
  }
  await emulator.close();
  return rows;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}

async function main(): Promise<void> {
  const engine = await getEngine();
  const base = mkdtempSync(join(tmpdir(), "cloudvoice-bench-"));
  const rows: Row[] = [];
  try {
    const sizes = options.voices.split(",").map(Number);
    for (let index = 0; index < Math.max(...sizes); index++)
      writeFileSync(join(base, `v${index}.wav`), recording(index));
    for (let index = 0; index < 10; index++) writeFileSync(join(base, `other-v${index}.wav`), recording(-1 - index));
    for (const voices of sizes)
      for (let round = 0; round < Number(options.rounds); round++)
        for (const name of options.only.split(",")) {
          const prepare = cases[name];
          if (prepare === undefined) throw new Error(`--only takes ${Object.keys(cases).join(", ")}`);
          rows.push(...(await measureCase(name, prepare, voices, base)));
        }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
  const date = new Date().toISOString().slice(0, 10);
  console.log(`\n${cpus().length} cores, Node.js ${process.versions.node}, Pulumi ${engine.version}, ${date}\n`);
  const keyOf = ({ name, voices, operation }: Row) => `${voices} ${name}: ${operation}`;
  const table = [...new Set(rows.map(keyOf))].map((key) => {
    const group = rows.filter((row) => keyOf(row) === key);
    const of = (field: "seconds" | "cpu" | "megabytes") => median(group.map((row) => row[field]));
    const { calls = "", billed, left, stateBytes = "" } = group.at(-1) ?? {};
    return [
      key,
      {
        "CPU s": Number(of("cpu").toFixed(1)),
        "elapsed s": Number(of("seconds").toFixed(1)),
        MB: Math.round(of("megabytes")),
        "bytes a voice": stateBytes,
        ...{ billed, left, calls },
      },
    ] as const;
  });
  console.table(Object.fromEntries(table));
}

void main();
