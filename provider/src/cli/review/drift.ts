import { countedVoices, massLossProblem } from "../../rules/mass-loss";
import { moneyText, type Prices, sumOf } from "../../rules/price";
import { incompleteRights } from "../../rules/rights";
import { orphanedVoices } from "../../rules/quota";
import type { Settings } from "../../rules/settings";
import { dayOf } from "../../rules/time";
import { visible } from "../../rules/visible";
import type { StackName } from "../../stacks/names";
import { InputError } from "../../errors";
import { counted } from "../listing";
import { neededStack, projectAndStack, settingsOf, statesOf, unheld, withRights, withService } from "../stack";
import { type StatesAndAccount, trustedAccount } from "./account";
import { shownName } from "./change";
import { type Form, formOf, jsonOf, type ReviewOptions, saveReview } from "./forms";
import { code } from "./markdown";
import { remarkLists, type Remarks, remarksOn } from "./remarks";
import { exitCodes } from "./words";

/** How the stack's state and the account differ, whatever the program declares. `--json` prints it as it is. */
export interface Drift extends StackName {
  held: number;
  missing: { voice: string; urn: string }[];
  /** Voices of the account with a generated name of this stack that no stack in the backend has. */
  orphans: { voice: string; createdAt: string }[];
  /** Why the voices were more likely not deleted, although none of them was found. */
  massLoss?: string;
  /** About the voices that the state and the account have. */
  remarks: Remarks;
}

export interface DriftFacts extends StatesAndAccount, Pick<Settings, "rotatedFrom" | "acceptMissing"> {
  named: StackName;
}

/** The orphans are those of this stack alone: another stack may have them. */
export function driftOf(facts: DriftFacts): Drift | { unknown: string } {
  const { named, held, read, listed, fingerprint, rotatedFrom, acceptMissing: accept, nowMs } = facts;
  // The next update deletes an old copy, so it may be missing already.
  const live = held.filter(({ isOld }) => !isOld);
  const account = trustedAccount(listed, live, fingerprint, rotatedFrom);
  if (!Array.isArray(account)) return account;
  const hidden = live.filter(({ rights }) => incompleteRights(rights, "until")).length;
  if (hidden > 0)
    return { unknown: `when the rights of ${counted(hidden, "voice")} end is secret, and could not be decrypted` };
  const rows = new Map(account.map((row) => [row.voice, row]));
  const missing = live.filter(({ voice }) => !rows.has(voice)).map(({ voice, savedUrn: urn }) => ({ voice, urn }));
  const staying = live.flatMap(({ voice, savedUrn: urn, rights }) => {
    const row = rows.get(voice);
    return row === undefined ? [] : [{ name: shownName(urn), urn, voice, rights, createdAt: row.gmtCreate }];
  });
  const orphans = orphanedVoices(account, [...held, ...read]);
  const stack = live[0]?.stack ?? named.stack;
  const lost = { held: countedVoices(held).size, missing: new Set(missing.map(({ voice }) => voice)).size };
  const massLoss = massLossProblem({ stack, ...lost, accept });
  return {
    ...named,
    held: live.length,
    missing,
    ...(massLoss !== undefined && { massLoss }),
    orphans: orphans.map(({ voice, gmtCreate = "" }) => ({ voice, createdAt: gmtCreate })),
    remarks: remarksOn(staying, nowMs),
  };
}

export function hasDrift({ missing, orphans, remarks }: Drift): boolean {
  return missing.length + orphans.length + remarks.rightsEnded.length > 0;
}

/**
 * The drift as text for a terminal; with the quoting of Markdown, as a comment or a job's summary. `fullName` is the
 * stack's: a short one may mean another stack to whoever runs the command.
 */
export function driftText(
  drift: Drift,
  fullName: string,
  { voicePrice, currency }: Pick<Prices, "voicePrice" | "currency">,
  quote: (text: string) => string = visible,
  heading = "",
): string {
  const { project, stack, held, missing, orphans, massLoss, remarks } = drift;
  const { rightsEnded, mayBeDeletedSoon } = remarks;
  const withoutRights = rightsEnded.length === 0 ? "" : `, ${rightsEnded.length} whose rights have ended`;
  const counts = hasDrift(drift) ? `${missing.length} missing, ${orphans.length} orphaned${withoutRights}` : "none";
  const costOf = (voices: unknown[]) => moneyText(sumOf(voices.map(() => voicePrice)), currency);
  const lines = [
    `${heading}Drift of ${quote(`${project}/${stack}`)}: ${counts}`,
    `${counted(held, "voice")} in the state.`,
  ];
  if (massLoss !== undefined) lines.push("", `Warning: ${quote(massLoss)}.`);
  if (missing.length > 0) {
    lines.push(
      "",
      `In the state and not in the account. ${quote("pulumi up --refresh")} creates them again ` +
        `(${costOf(missing)}):`,
      ...missing.map(({ urn, voice }) => `- ${quote(shownName(urn))}: ${quote(voice)}`),
    );
  }
  if (orphans.length > 0) {
    lines.push(
      "",
      "In the account under names of this stack, and held by no stack in the backend. " +
        `${quote(`npx pulumi-cloudvoice voices --orphans --delete --stack ${fullName}`)} deletes them:`,
      ...orphans.map(({ voice, createdAt }) => `- ${quote(voice)} ${dayOf(createdAt)}`.trimEnd()),
    );
  }
  for (const { title, lines: remarked } of remarkLists(remarks))
    lines.push("", `${title}:`, ...remarked.map(({ name, text }) => `- ${quote(name)}: ${quote(text)}`));
  if (mayBeDeletedSoon.length > 0)
    lines.push(
      `If the service deletes them, ${quote("pulumi up --refresh")} creates them again (${costOf(mayBeDeletedSoon)}).`,
    );
  return `${lines.join("\n")}\n`;
}

export async function runDrift(source: string | undefined, { stack: named, format, save }: ReviewOptions) {
  if (source !== undefined) throw new InputError("--drift reads no preview. Leave the file out.");
  const forms = [format, ...save.map(formOf)];
  if (forms.includes("html")) throw new InputError("--drift has no HTML page. Use text, Markdown or JSON.");
  const stack = await neededStack("--drift", named);
  const states = statesOf(stack);
  const [held, settings] = [await states.own(), await settingsOf(stack)];
  await withService(settings, async (service) => {
    // `find` makes certain that a voice that the list lacks does not exist.
    const found = await Promise.all(held.holders.map(({ voice }) => service.account.find(voice)));
    const rows = [...(await service.account.voices()), ...found.filter((row) => row !== undefined)];
    const compared = driftOf({
      ...settings,
      named: projectAndStack(stack),
      held: await withRights([held]),
      read: held.readers ?? [],
      listed: [...new Map(rows.map((row) => [row.voice, row])).values()],
      fingerprint: service.voiceFingerprint(),
      nowMs: service.now(),
    });
    if ("unknown" in compared) throw new InputError(`The drift is not known: ${compared.unknown}.`);
    const drift = { ...compared, orphans: await unheld(states, compared.orphans) };
    const formatDrift = (form: Form) => {
      if (form === "json") return jsonOf(drift);
      return form === "markdown" ? driftText(drift, stack, settings, code, "### ") : driftText(drift, stack, settings);
    };
    for (const file of save) saveReview(file, formatDrift(formOf(file)));
    process.stdout.write(formatDrift(format));
    process.exitCode = hasDrift(drift) ? exitCodes.changes : exitCodes.noChanges;
  });
}
