import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import { addressGuard, addressNames } from "../rules/addresses";
import { environmentName, findSetting, keyInClear } from "../rules/find-setting";
import { withoutSignatures } from "../rules/public-url";
import { readSettings, type SettingName, settingNames, type Settings } from "../rules/settings";
import { describeThrown } from "../describe-thrown";
import { AuthenticationError, InputError } from "../errors";
import { systemClock } from "../service/clock";
import { connect } from "../service/connect";
import { Journal } from "../service/journal/journal";
import { lostJournalHint, openJournalStore } from "../service/journal/open";
import { isRefusal } from "../service/responses/error";
import { decisionPath } from "../service/decisions/client";
import type { Http } from "../service/http";
import { parseBody } from "../service/responses/json";
import { clonedVoices } from "../service/voices/account";
import type { ListPage } from "../service/voices/client";
import { pageSizes } from "../service/voices/listing";
import { visible } from "../rules/visible";
import { runPulumi } from "../run-pulumi";
import { fullStackName } from "./stacks/states";
import { configurationOf, type FindStackSetting, programFolder } from "./stack";
import { formatTable } from "./table";
import { colouring, jsonOf, printError, printText } from "./print";

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check the engine, the settings, the connection, the key and the quota, without a billed call")
    .option(
      "--stack <name>",
      "read the configuration of this stack (run this in the project's folder; default: the selected stack)",
    )
    .option(
      "--base-url <url>",
      "without a project, only check whether this package understands the service at this address; takes the " +
        `key from ${environmentName("apiKey")}`,
    )
    .option("--json", "print JSON")
    .action(examine);
}

interface Finding {
  about: string;
  state: "ok" | "warning" | "error";
  message: string;
}

interface Options {
  stack?: string;
  baseUrl?: string;
  json?: boolean;
}

async function examine({ stack, baseUrl, json = false }: Options): Promise<void> {
  if (stack !== undefined && baseUrl !== undefined)
    throw new InputError("Give either --stack or --base-url, not both.");
  const findings =
    baseUrl === undefined
      ? [await engineFinding(), ...(await stackFindings(stack))]
      : await findingsAt(baseUrl, process.env);
  printText(json ? jsonOf({ findings }) : `${tableOf(findings)}\n`);
  process.exitCode = findings.some(({ state }) => state === "error") ? 1 : 0;
}

function tableOf(findings: Finding[]): string {
  const rows = findings.map(({ state, about, message }) => [
    state === "ok" ? "ok" : state.toUpperCase(),
    about,
    // A message may quote a setting, which may contain control characters.
    visible(message),
  ]);
  const meanings = { ok: "good", warning: "careful", error: "bad" } as const;
  const states = findings.map(({ state }) => meanings[state]);
  return formatTable(["state", "about", "result"], rows, [10, 26, 78], { paint: colouring(0, states) });
}

async function engineFinding(): Promise<Finding> {
  const { stdout, failure } = await runPulumi(["version"]);
  return { about: "Pulumi", state: failure === undefined ? "ok" : "error", message: failure ?? stdout.trim() };
}

/**
 * Checks whether this package understands the service at an address. Does not need a project: all other settings come
 * from the environment.
 */
export async function findingsAt(baseUrl: string, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  try {
    const find = (name: SettingName) => {
      if (name === "baseUrl") return { value: baseUrl, source: "--base-url" };
      // The given address serves all three interfaces, so addresses in the environment are ignored.
      const isAddress = addressNames.some((each) => each === name);
      return isAddress ? undefined : findSetting(name, environment, () => undefined);
    };
    const [, ...interfaces] = await serviceFindings(readSettings(find));
    return interfaces;
  } catch (error) {
    return [{ about: "service", state: "error", message: describeThrown(error).message }];
  }
}

/** Checks the settings and the service. The first finding is an error if the stack or its settings can't be read. */
async function stackFindings(named: string | undefined): Promise<Finding[]> {
  let about = "stack";
  let rows: Finding[] = [];
  try {
    const stack = await fullStackName(named);
    const find = await configurationOf(stack);
    about = "settings";
    rows = settingNames.flatMap((name) => settingFinding(name, find(name)) ?? []);
    const settings = readSettings(find, Object.keys(process.env));
    const sources = stack === undefined ? environmentOnly : `the environment and the stack ${stack}`;
    const message = `${rows.length} are set (the others have their defaults), read from ${sources}`;
    for (const kind of ["voice", "image"] as const) addressGuard(settings, process.env)(kind);
    return [{ about, state: "ok", message }, ...rows, ...(await serviceFindings(settings, find("journal")?.isSecret))];
  } catch (error) {
    return [{ about, state: "error", message: describeThrown(error).message }, ...rows];
  }
}

const environmentOnly =
  "the environment only, because no stack is selected. To read the configuration of a stack too, use --stack";

function settingFinding(about: SettingName, setting: ReturnType<FindStackSetting>): Finding | undefined {
  if (!setting) return undefined;
  if (about === "apiKey" && setting.inClear) return { about, state: "error", message: keyInClear };
  const shown = about === "apiKey" || setting.isSecret ? "set" : withoutSignatures(setting.value);
  return { about, state: "ok", message: `${shown}, from ${setting.source}` };
}

export async function serviceFindings(stackSettings: Settings, hidesJournal = false): Promise<Finding[]> {
  // A user waits for the result.
  const requestTimeoutMs = Math.min(stackSettings.requestTimeoutMs, 10_000);
  const settings = { ...stackSettings, requestTimeoutMs, maxRetries: 0, maxThrottleMs: 0 };
  const fields: Partial<Record<string, string>> = {};
  const service = connect(settings, {
    log: printError,
    observe: (call) => (fields[call.action] = call.fields),
  });
  try {
    return [
      { ...(await check("journal", () => checkJournal(settings))), ...(hidesJournal && hiddenJournal) },
      await check("voices", async () => {
        // If the service refuses large pages, `account` asks for smaller pages, and `listPage` must do the same.
        const count = clonedVoices((await service.account.atStart()).voices).length;
        const page = await service.voices.listPage(0, Math.min(...pageSizes));
        const message = `reached, the key is accepted; ${count} of ${settings.voiceQuota} voices`;
        const shape = `The list has the fields ${fields.list ?? ""}. ${understood(page)}`;
        if (count < settings.voiceQuota) return `${message}. ${shape}`;
        return { state: "warning", message: `${message}: the account is full. ${shape}` };
      }),
      await check("images", async () => {
        // No task has this random id. The form in which the service reports an unknown task is not specified.
        const poll = service.images.poll(randomUUID(), { secret: false });
        const response = await poll.catch((thrown: unknown) => thrown as Error);
        const isAnswer =
          fields.poll !== undefined && fields.poll !== "none" && !(response instanceof AuthenticationError);
        if (response instanceof Error && !isAnswer) throw response;
        const message = response.message ?? "";
        // A gateway may answer any path. Only JSON shows that the service itself responded.
        if (fields.poll === "no JSON") return { state: "warning", message };
        // Without a state of a task, a 404 does not show whether the task is unknown, or the path.
        const isNotFound = !(response instanceof Error) && response.fields === "none";
        return isNotFound
          ? { state: "warning", message: `${message}. ${unknownPath}` }
          : "reached, the key is accepted";
      }),
      await check("decisions", () => checkDecisions(settings.decisionBaseUrl, service.http)),
    ];
  } finally {
    await service.close();
  }
}

/** Describes where a page of the list has its voices, and whether an empty list would prove that there are none. */
function understood({ place, unproven, voices, doubt }: ListPage): string {
  const where = place === undefined ? "Nothing shows where its voices are" : `Its voices are at ${place}`;
  const isProof = (voices.length === 0 ? doubt : unproven) === undefined;
  const why = unproven === undefined ? "" : `; ${unproven}`;
  return `${where}${why}. An empty list would ${isProof ? "" : "not "}prove that there are no voices`;
}

const unknownPath =
  "The address may lack the interface of images, or the service may respond in this way to an unknown task. Check the address";

/** Replaces the message, which may have the secret place of the journal. */
const hiddenJournal = { message: "its place is secret, and not shown" };

/** Writes a note to the journal, and removes the note. */
async function checkJournal(settings: Settings): Promise<Result> {
  // As in the provider, a relative path of the journal begins in the program's folder.
  const store = openJournalStore(settings.journal, { ...settings, programFolder: programFolder() });
  const warnings: string[] = [];
  const journal = new Journal(store, systemClock, (line) => warnings.push(line), settings);
  const key = journal.keyOf("doctor", randomUUID());
  await store.write(key, "{}");
  await store.remove(key);
  // `find` reads the journal, removes expired notes, and reports problems as warnings.
  await journal.find(key);
  const hint = lostJournalHint(settings.journal, process.env);
  if (hint !== undefined) warnings.push(hint);
  const message = [`can be written: ${store.place}`, ...warnings].join("; ");
  return warnings.length === 0 ? message : { state: "warning", message };
}

/** Asks a decision without a key. The service rejects the call, so nothing is billed. */
async function checkDecisions(baseUrl: string | undefined, http: Http): Promise<Result> {
  if (baseUrl === undefined)
    throw new Error(`there is no address. Set cloudvoice:baseUrl, or ${environmentName("baseUrl")}`);
  const request = { url: `${baseUrl}${decisionPath}`, headers: { "content-type": "application/json" } };
  const { status, body } = await http.send({ ...request, method: "POST", body: () => "{}" });
  const { json } = parseBody(body);
  const isRejected = status >= 400 && status < 500 && status !== 404 && json !== undefined;
  if (status === 401 || status === 403 || isRejected || (status < 300 && isRefusal(json, body)))
    return "reached; the key was not tried, because each call with a key is billed";
  const message = `a call without a key got HTTP ${status}, and not the service's 401 or 403. Check the address`;
  return { state: json !== undefined || body === "" ? "warning" : "error", message };
}

type Result = string | Omit<Finding, "about">;

/** Runs a check. A returned text counts as success, and a thrown error as a failure. */
async function check(about: string, examination: () => Promise<Result>): Promise<Finding> {
  try {
    const result = await examination();
    return typeof result === "string" ? { about, state: "ok", message: result } : { about, ...result };
  } catch (error) {
    return { about, state: "error", message: describeThrown(error).message };
  }
}
