import { textsOf } from "../../rules/first-of";
import { moneyText, type Prices, sumOf } from "../../rules/price";
import { incompleteRights } from "../../rules/rights";
import type { Settings } from "../../rules/settings";
import { dayOf } from "../../rules/time";
import { isolated, visible } from "../../rules/visible";
import { shellQuoted } from "../../shell-quoted";
import { unheld } from "../../voices/held";
import { orphanedVoices } from "../../voices/judge/delete";
import type { StackName } from "../../stacks/names";
import { InputError } from "../../errors";
import { askingHere, assertAddress } from "../addresses";
import { counted } from "../listing";
import {
  neededStack,
  programFolder,
  projectAndStack,
  settingsAndSecretsOf,
  statesOf,
  withContent,
  withRights,
  withService,
} from "../stack";
import { type StatesAndAccount, trustedAccount } from "./account";
import { shownName } from "./change";
import { type OutputFormat, formatOf, jsonOf, type ReviewOptions, saveReview } from "./forms";
import { code } from "./markdown";
import { type PictureDrift, pictureDrift, pictureText } from "./pictures";
import type { ReviewFacts } from "./facts";
import { questionLines, ReviewQuestions, type ShownQuestion } from "./questions";
import { remarkLists, type Remarks, remarksOn } from "./remarks";
import { exitCodes } from "./exit-code";
import { printText } from "../print";

/** The differences between state and account, without the program. `--json` prints this object as it is. */
export interface Drift extends StackName {
  held: number;
  missing: { voice: string; urn: string }[];
  /** Voices of the account with a generated name of this stack, if no stack in the backend has them. */
  orphans: { voice: string; createdAt: string }[];
  pictures: PictureDrift[];
  /** The questions to answer before missing voices leave the state. Each question states why the loss is uncertain. */
  questions: ShownQuestion[];
  /** Voices that the account's list reports as deleted, failed or not usable. `said`: the list's text. */
  unusable: { voice: string; urn: string; said: string }[];
  /** Remarks about the voices that are both in the state and in the account. */
  remarks: Remarks;
}

type FromSettings = "voiceBaseUrl" | "voicePrice" | "currency" | "namespace" | "apiKey";

interface DriftFacts extends StatesAndAccount, Pick<Settings, FromSettings>, Pick<ReviewFacts, "doubt" | "asking"> {
  named: StackName;
  pictures?: PictureDrift[];
}

/** Compares the state with the account. The caller has to remove the voices of other stacks from `orphans`. */
export function driftOf(facts: DriftFacts): Drift | { unknown: string } {
  const { named, held, read, listed, fingerprint, nowMs } = facts;
  const stack = `${named.project}/${named.stack}`;
  const questions = new ReviewQuestions(facts.asking, nowMs, stack);
  // Skip old copies of replaced resources: the next update deletes their voices, so a voice may already be missing.
  const currentHolders = held.filter(({ isOld }) => !isOld);
  const account = trustedAccount(listed, currentHolders, fingerprint, questions.askAboutKey(facts));
  if (!Array.isArray(account)) return { unknown: [account.unknown, ...questionLines(questions.shown())].join(". ") };
  const secretRights = currentHolders.filter(({ rights }) => incompleteRights(rights, "until")).length;
  const secret = `the end of the rights of ${counted(secretRights, "voice")} is secret, and could not be decrypted`;
  if (secretRights > 0) return { unknown: secret };
  const rows = new Map(account.map((row) => [row.voice, row]));
  const missing = currentHolders
    .filter(({ voice }) => !rows.has(voice))
    .map(({ voice, savedUrn: urn }) => ({ voice, urn }));
  const staying = currentHolders.flatMap(({ voice, savedUrn: urn, rights }) => {
    const row = rows.get(voice);
    return row === undefined ? [] : [{ name: shownName(urn), urn, voice, rights, createdAt: row.gmtCreate }];
  });
  const orphans = orphanedVoices(account, [...held, ...read], facts);
  questions.askAboutMissing(held, account, facts);
  const unusable = currentHolders.flatMap(({ voice, savedUrn: urn }) => {
    const said = rows.get(voice)?.unusable;
    return said === undefined ? [] : [{ voice, urn, said }];
  });
  return {
    ...named,
    held: currentHolders.length,
    missing,
    questions: questions.shown(),
    unusable,
    orphans: orphans.map(({ voice, gmtCreate = "" }) => ({ voice, createdAt: gmtCreate })),
    pictures: facts.pictures ?? [],
    remarks: remarksOn(staying, nowMs),
  };
}

export function hasDrift({ missing, orphans, pictures, unusable, remarks }: Drift): boolean {
  return [missing, orphans, pictures, unusable, remarks.rightsEnded].some((found) => found.length > 0);
}

/** `fullName`: for the printed commands. A short name may mean another stack where somebody runs them. */
export function driftText(
  drift: Drift,
  fullName: string,
  { voicePrice, currency }: Pick<Prices, "voicePrice" | "currency">,
  isComment = false,
): string {
  const { project, stack, held, missing, orphans, pictures, questions, unusable, remarks } = drift;
  const { rightsEnded, mayBeDeletedSoon } = remarks;
  const quote = (text: string) => (isComment ? code(text) : isolated(visible(text)));
  const counts = textsOf([
    `${missing.length} missing`,
    `${orphans.length} orphaned`,
    unusable.length > 0 && `${unusable.length} not usable`,
    rightsEnded.length > 0 && `${rightsEnded.length} whose rights have ended`,
    pictures.length > 0 && `${counted(pictures.length, "picture")} missing or changed`,
  ]);
  const refresh = (voices: unknown[]) =>
    `${quote("pulumi up --refresh")} creates them again (${moneyText(sumOf(voices.map(() => voicePrice)), currency)})`;
  const deletion = quote(
    `npx --no-install pulumi-cloudvoice voices --orphans --delete --stack ${shellQuoted(fullName)}`,
  );
  const voiceOf = ({ urn, voice }: { urn: string; voice: string }) => `${quote(shownName(urn))}: ${quote(voice)}`;
  const sections: [title: string, lines: string[]][] = [
    [`In the state and not in the account. ${refresh(missing)}:`, missing.map(voiceOf)],
    [
      `In the account under names of this stack, and held by no stack in the backend. ${deletion} deletes them:`,
      orphans.map(({ voice, createdAt }) => `${quote(voice)} ${dayOf(createdAt)}`.trimEnd()),
    ],
    [
      "In the account, but not usable, as the service reports. To replace these voices, change triggers:",
      unusable.map((each) => `${voiceOf(each)} (${quote(each.said)})`),
    ],
    [
      "Saved pictures that are missing or changed:",
      pictures.map((picture) => `${quote(picture.name)}: ${quote(pictureText(picture, currency))}`),
    ],
    ...remarkLists(remarks).map(({ title, lines }): [string, string[]] => [
      `${title}:`,
      lines.map(({ name, text }) => `${quote(name)}: ${quote(text)}`),
    ]),
  ];
  const found = sections.filter(([, lines]) => lines.length > 0);
  return `${[
    `${isComment ? "### " : ""}Drift of ${quote(`${project}/${stack}`)}: ${hasDrift(drift) ? counts.join(", ") : "none"}`,
    `${counted(held, "voice")} in the state.`,
    ...(questions.length > 0 ? ["", ...questionLines(questions).map((line) => quote(line))] : []),
    ...found.flatMap(([title, lines]) => ["", title, ...lines.map((line) => `- ${line}`)]),
    ...(mayBeDeletedSoon.length > 0 ? [`If the service deletes them, ${refresh(mayBeDeletedSoon)}.`] : []),
  ].join("\n")}\n`;
}

export async function runDrift(source: string | undefined, { stack: named, format, save }: ReviewOptions) {
  if (source !== undefined) throw new InputError("--drift does not read a preview. Leave out the file.");
  const formats = [format, ...save.map(formatOf)];
  if (formats.includes("html")) throw new InputError("--drift can't make an HTML page. Use text, Markdown or JSON.");
  const stack = await neededStack("--drift", named);
  const states = statesOf(stack);
  const { settings, hide } = await settingsAndSecretsOf(stack);
  const held = await withContent(await states.own(), settings);
  await assertAddress(settings, states);
  await withService(settings, async (service) => {
    const { voices: listed, doubt } = await service.account.voicesBeside(held.holders.map(({ voice }) => voice));
    const asking = await askingHere();
    const nowMs = service.now();
    const voices = new Set(held.holders.map(({ voice }) => voice));
    // Looking for pictures reads the state again. This is needed only if the state has other resources than voices.
    const hasOthers = [...held.ids].some((id) => !voices.has(id));
    const compared = driftOf({
      ...settings,
      named: projectAndStack(stack),
      held: await withRights([held]),
      read: held.readers,
      ...{ listed, doubt, asking, nowMs },
      fingerprint: service.voiceFingerprint(),
      pictures: hasOthers ? await pictureDrift(stack, settings, programFolder(), nowMs) : [],
    });
    if ("unknown" in compared) throw new InputError(`The drift is not known: ${compared.unknown}.`);
    const drift = hide({ ...compared, orphans: await unheld(states, compared.orphans) });
    const formatDrift = (form: OutputFormat) =>
      form === "json" ? jsonOf(drift) : driftText(drift, stack, settings, form === "markdown");
    for (const file of save) saveReview(file, formatDrift(formatOf(file)));
    printText(formatDrift(format));
    const changed = hasDrift(drift) ? exitCodes.changes : exitCodes.noChanges;
    // With a doubt, it is not certain that the missing voices are gone.
    process.exitCode = drift.missing.length > 0 && doubt !== undefined ? exitCodes.failed : changed;
  });
}
