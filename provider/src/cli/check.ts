import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { attempt } from "../describe-thrown";
import { InputError } from "../errors";
import { isSoundName } from "../rules/file-formats";
import { audioPlace, audioProblem, audioWarning, encodedLength, uncheckedRecordings } from "../rules/audio";
import { withoutSignatures } from "../rules/public-url";
import { unknownValue } from "../rules/values";
import { secretText } from "../rules/rights";
import { visible } from "../rules/visible";
import { audioInspector } from "../service/audio/inspect";
import { fullStackName } from "./stacks/states";
import { kindOf } from "./review/change";
import { runPreview } from "./review/command";
import { programFolder } from "./stack";
import { formatTable } from "./table";
import { colouring, jsonOf, printText } from "./print";

interface Options {
  stack?: string | true;
  json?: boolean;
}

/** A recording: the path of the file to check, or the reason why the recording cannot be checked. */
type Candidate = { file: string; path: string } | { file: string; unchecked: string };

interface Checked {
  file: string;
  verdict: "accepted" | "warning" | "refused" | "not checked";
  reason?: string | undefined;
  kind?: string | undefined;
  seconds?: number | undefined;
  bytes?: number;
  encodedBytes?: number;
}

export function addCheckCommand(program: Command): void {
  program
    .command("check")
    .description("check recordings as a preview does; without --stack, neither Pulumi nor the service is called")
    .argument("[paths...]", "recordings, and folders to search for recordings (default: this folder)")
    .option("--stack [name]", "preview this stack, and check the recordings of its program instead")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExit codes: 0 every recording is accepted, 2 some have warnings or were not checked, 1 some are refused, " +
        "or an error.",
    )
    .action(runCheck);
}

async function runCheck(paths: string[], { stack, json = false }: Options): Promise<void> {
  if (stack !== undefined && paths.length > 0) throw new InputError("Give either paths or --stack, not both.");
  const candidates = stack === undefined ? recordingsIn(paths.length > 0 ? paths : ["."]) : await recordingsOf(stack);
  if (candidates.length === 0) throw new InputError("No recording was found. Give the paths of files or folders.");
  const inspect = audioInspector();
  const recordings: Checked[] = [];
  for (const each of candidates) recordings.push(await check(each, inspect));
  printText(json ? jsonOf({ recordings }) : `${tableOf(recordings)}\n`);
  const has = (verdict: Checked["verdict"]) => recordings.some((each) => each.verdict === verdict);
  process.exitCode = has("refused") ? 1 : has("warning") || has("not checked") ? 2 : 0;
}

async function check(candidate: Candidate, inspect: ReturnType<typeof audioInspector>): Promise<Checked> {
  const { file } = candidate;
  if ("unchecked" in candidate) return { file, verdict: "not checked", reason: candidate.unchecked };
  const facts = await inspect(candidate.path);
  const problem = audioProblem(facts);
  if (facts.state !== "audio") {
    const kind = facts.state === "other" ? facts.detail : facts.state === "cut-short" ? facts.kind : undefined;
    return { file, verdict: "refused", kind, reason: problem };
  }
  const { kind, bytes, seconds } = facts;
  const warning = audioWarning(facts);
  const verdict = problem !== undefined ? "refused" : warning !== undefined ? "warning" : "accepted";
  return { file, verdict, reason: problem ?? warning, kind, seconds, bytes, encodedBytes: encodedLength(bytes) };
}

const meanings = { accepted: "good", warning: "careful", "not checked": "careful", refused: "bad" } as const;

function tableOf(recordings: Checked[]): string {
  const rows = recordings.map(({ file, verdict, reason, kind = "", seconds, encodedBytes }) => [
    visible(file),
    visible(kind),
    seconds === undefined ? "" : `${seconds.toFixed(2)} s`,
    encodedBytes === undefined ? "" : `${(encodedBytes / 1e6).toFixed(2)} MB`,
    visible(reason === undefined ? verdict : `${verdict}: ${reason}`),
  ]);
  const head = ["file", "kind", "length", "encoded", "verdict"];
  const verdicts = recordings.map(({ verdict }) => meanings[verdict]);
  return formatTable(head, rows, [40, 20, 10, 10, 70], { paint: colouring(4, verdicts) });
}

/** The most recordings to check. A folder with more files, e.g. the home folder, was given by mistake. */
const mostFiles = 10_000;

function recordingsIn(paths: string[]): Candidate[] {
  const files: string[] = [];
  const search = (folder: string) => {
    const inside = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of inside) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isDirectory()) search(path);
      else if (isSoundName(entry.name)) files.push(path);
      if (files.length > mostFiles)
        throw new InputError(`There are more than ${mostFiles} recordings. Give the paths of fewer folders.`);
    }
  };
  for (const path of paths) {
    // A path that can't be read counts as a file: `check` then reports the reason.
    if (attempt(() => statSync(path).isDirectory())) search(path);
    else files.push(path);
  }
  return [...new Set(files)].map((file) => ({ file, path: resolve(file) }));
}

/** The recordings of the program. The preview's own check is off, because it stops at the first bad recording. */
async function recordingsOf(named: string | true): Promise<Candidate[]> {
  const stack = await fullStackName(named === true ? undefined : named);
  const { steps, errors } = await runPreview(stack, ["preview", "--json", "--show-sames"], {
    [uncheckedRecordings]: "true",
  });
  if (errors.length > 0)
    throw new InputError(`The preview failed, so the program's recordings are not known: ${errors.join("; ")}`);
  const folder = programFolder();
  const candidates = new Map<string, Candidate>();
  for (const step of steps) {
    const audio: unknown = step.newState?.inputs.audio;
    if (kindOf(step) !== "voice" || audio === undefined) continue;
    const hidden = "its path is secret, or known only during the update";
    const isKnown = typeof audio === "string" && ![unknownValue, secretText].includes(audio);
    const place = isKnown ? audioPlace(audio) : { problem: hidden };
    const file = isKnown ? withoutSignatures(audio) : step.urn.replace(/^.*::/s, "");
    if ("path" in place) candidates.set(file, { file, path: resolve(folder, place.path) });
    else
      candidates.set(file, { file, unchecked: "url" in place ? "the service downloads it from a URL" : place.problem });
  }
  return [...candidates.values()];
}
