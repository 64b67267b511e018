import { stringify } from "csv-stringify/sync";
import { textsOf } from "../rules/first-of";
import { nameInUrn } from "../rules/resource-types";
import { daysLeft, incompleteRights, type Rights } from "../rules/rights";
import { ageDays } from "../rules/time";
import { visible } from "../rules/visible";
import type { ListedVoice } from "../service/voices/client";
import type { VoiceHolder } from "./stacks/holder";
import { InputError } from "../errors";
import { ageText, counted } from "./listing";
import { shownRights } from "./review/fields";
import { formatTable } from "./table";

export interface StatesAndAccount {
  held: VoiceHolder[];
  /** Voices that programs only read (`CloudVoice.get`). No update creates or deletes them. */
  read: VoiceHolder[];
  listed: ListedVoice[];
  fingerprint: string;
  nowMs: number;
}

interface VoiceWithRights {
  voice: string;
  /** Absent if no state records rights for the voice. */
  rights?: Rights | undefined;
  /** The full name of the stack and the name of the resource; absent if no stack of the backend holds the voice. */
  stack?: string;
  resource?: string;
  /** The path or URL of the recording, and, for a file, the SHA-256. */
  recording?: string | undefined;
  sha256?: string | undefined;
  createdAt?: string | undefined;
  ageDays?: number | undefined;
  /** Whether the account has the voice. `another account`: the state records another key or address for the voice. */
  live: "yes" | "no" | "another account";
}

export interface RightsFilter {
  /** Only voices whose holder contains this text, in upper or lower case. */
  holder?: string | undefined;
  /** Only voices whose rights end within this number of days, or have ended. */
  endsWithin?: number | undefined;
}

/**
 * The selected voices of all stacks, sorted by holder and end of the rights. Without a filter, also the voices that no
 * stack holds.
 */
export function voicesWithRights(facts: StatesAndAccount, { holder, endsWithin }: RightsFilter) {
  const { held, read, listed, fingerprint, nowMs } = facts;
  const isFiltered = holder !== undefined || endsWithin !== undefined;
  if (holder !== undefined) assertReadable(held, "holder");
  if (endsWithin !== undefined) assertReadable(held, "until");
  const rows = new Map(listed.map((row) => [row.voice, row]));
  const aged = (createdAt: string | undefined) => ({ createdAt, ageDays: ageDays(createdAt, nowMs) });
  const isSelected = ({ rights }: VoiceHolder) => {
    const { holder: name = "", until } = rights?.known ?? {};
    const isTheirs = holder === undefined || name.toLowerCase().includes(holder.toLowerCase());
    return isTheirs && (endsWithin === undefined || (until !== undefined && daysLeft(until, nowMs) <= endsWithin));
  };
  const voicesOfStacks = held.filter(isSelected).map((each): VoiceWithRights => {
    const { voice, rights, stack, savedUrn, audio, audioSha256, account } = each;
    const row = rows.get(voice);
    const isForeign = account !== undefined && account !== fingerprint;
    return {
      ...{ voice, stack, resource: nameInUrn(savedUrn), recording: audio, sha256: audioSha256 },
      rights: rights && shownRights(rights),
      ...aged(row?.gmtCreate ?? each.createdAt),
      live: row ? "yes" : isForeign ? "another account" : "no",
    };
  });
  const idsInStates = new Set([...held, ...read].map(({ voice }) => voice));
  const unclaimed = listed.filter(({ voice }) => !idsInStates.has(voice));
  const voicesWithoutStack = unclaimed.map(({ voice, gmtCreate }): VoiceWithRights => ({
    voice,
    ...aged(gmtCreate),
    live: "yes",
  }));
  const order = ({ rights, voice }: VoiceWithRights) =>
    [rights?.holder ?? "\uffff", rights?.until ?? "9999", voice].join(" ");
  const voices = [...voicesOfStacks, ...(isFiltered ? [] : voicesWithoutStack)].sort((a, b) =>
    order(a).localeCompare(order(b)),
  );
  return { voices, stacks: new Set(held.map(({ stack }) => stack)).size, heldByNone: unclaimed.length };
}

/** Throws if a right is secret and could not be decrypted, so that a filter can't compare it. */
function assertReadable(held: readonly VoiceHolder[], field: keyof Rights): void {
  const hidden = held.filter(({ rights }) => incompleteRights(rights, field));
  if (hidden.length === 0) return;
  const stacks = [...new Set(hidden.map(({ stack }) => stack))].join(", ");
  throw new InputError(
    `The rights of ${counted(hidden.length, "voice")} are secret, and the secrets of these stacks could not be read: ${stacks}. ` +
      "Set the passphrase of these stacks (PULUMI_CONFIG_PASSPHRASE), or give access to their encryption key.",
  );
}

export function tableOfRights(voices: readonly VoiceWithRights[]): string {
  const head = ["holder", "evidence", "until", "voice", "in account", "stack", "resource", "recording", "age"];
  const rows = voices.map(({ voice, rights, stack, resource, recording, sha256, live, ...age }) => [
    ...(rights ? [rights.holder, rights.evidence, rights.until ?? "no end"] : ["without rights", "", ""]),
    ...[voice, live, stack ?? "no stack", resource ?? ""],
    ...[[recording, sha256?.slice(0, 7)].filter(Boolean).join(" "), ageText(age)],
  ]);
  const cells = rows.map((row) => row.map(visible));
  return formatTable(head, cells, [24, 32, 10, 32, 10, 24, 24, 28, 12]);
}

const columns = "holder evidence until voice live stack resource recording sha256 createdAt ageDays".split(" ");

/**
 * Places in a cell where a spreadsheet would start a formula: the beginning of the cell, and after `;` or `|`, which
 * some spreadsheets take as separators (e.g. if the comma is the decimal mark).
 */
const formula = /(^|[;|])([\s"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

export function csvOfRights(voices: readonly VoiceWithRights[]): string {
  const rows = voices.map(({ rights, ...row }) => ({ ...row, ...rights }));
  const cell = (text: string) => visible(text).replace(formula, "$1$2'");
  return stringify(rows, { header: true, columns, record_delimiter: "windows", cast: { string: cell } });
}

export function rightsSummary(
  { voices, heldByNone, stacks }: ReturnType<typeof voicesWithRights>,
  { holder, endsWithin }: RightsFilter,
): string {
  const which = textsOf([
    holder !== undefined && `of “${visible(holder)}”`,
    endsWithin !== undefined && `whose rights end within ${endsWithin} days`,
  ]);
  const countText = voices.length === 0 ? "No voice" : counted(voices.length, "voice");
  const live = voices.filter((each) => each.live === "yes").length;
  const rest =
    heldByNone === 0
      ? "Every voice of the account is in a stack."
      : `${counted(heldByNone, "voice")} of the account ${heldByNone === 1 ? "is" : "are"} in no stack, so their holders are not known` +
        (which.length === 0 ? "." : ": `npx --no-install pulumi-cloudvoice voices --rights` lists them.");
  const read = `All states of the backend were read; stacks with voices: ${stacks}.`;
  // A person who uses the list to prove an erasure must know what the list does not cover.
  const older =
    holder === undefined
      ? ""
      : " Only the newest version of each state was read. The history and the backups of the states, earlier reviews " +
        "and the journal may still name this person: docs/rights.md says where to look.";
  return `${[countText, ...which].join(" ")}, ${live} in the account. ${read} ${rest}${older}`;
}
