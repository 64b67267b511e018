/* global fetch */
/**
 * The script that a team writes in place of this package: a JSON file says which recording has which voice. It sends
 * 16 requests at once, and saves the file after each voice.
 *
 * `node script.mjs up|preview|refresh|destroy`, in a folder with the recordings in `audio`.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";

const { CLOUDVOICE_BASE_URL: address, CLOUDVOICE_API_KEY: key } = process.env;
const [operation] = process.argv.slice(2);
const targetModel = "svc3-tts-vc-2026-01-22";

async function call(input) {
  const response = await fetch(`${address}/api/v1/services/audio/tts/customization`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-voice-enrollment", input }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()).output;
}

async function list() {
  const voices = [];
  for (let page = 0; ; page++) {
    const { voice_list: rows } = await call({ action: "list", page_index: page, page_size: 1000 });
    voices.push(...rows.map((row) => row.voice));
    if (rows.length < 1000) return new Set(voices);
  }
}

async function inParallel(items, work) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

const state = existsSync("voices.json") ? JSON.parse(readFileSync("voices.json", "utf8")) : {};
function save() {
  writeFileSync("voices.json.new", JSON.stringify(state, null, 1));
  renameSync("voices.json.new", "voices.json");
}
const read = (file) => readFileSync(`audio/${file}`);
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

const existing = operation === "destroy" ? new Set() : await list();
const files = operation === "destroy" ? [] : readdirSync("audio");
const missing = files.filter((file) => !existing.has(state[file]?.voice));
const isChanged = (file) => !missing.includes(file) && sha256(read(file)) !== state[file].sha256;
const changed = operation === "refresh" ? [] : files.filter(isChanged);
const extra = Object.keys(state).filter((file) => !files.includes(file));
console.log(`${missing.length} to create, ${changed.length} to replace, ${extra.length} to delete`);
if (operation === "up" || operation === "destroy") {
  await inParallel([...missing, ...changed], async (file) => {
    const bytes = read(file);
    const audio = { data: `data:audio/wav;base64,${bytes.toString("base64")}` };
    const { voice } = await call({ action: "create", target_model: targetModel, preferred_name: "bench", audio });
    const old = changed.includes(file) ? state[file].voice : undefined;
    state[file] = { voice, sha256: sha256(bytes) };
    save();
    if (old) await call({ action: "delete", voice: old });
  });
  await inParallel(extra, async (file) => {
    await call({ action: "delete", voice: state[file].voice });
    delete state[file];
    save();
  });
}
