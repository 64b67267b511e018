import { type Loss, massLossProblem } from "../../rules/mass-loss";
import { voicesCost } from "../../rules/price";
import { orphanedVoices } from "../../rules/quota";
import { dayOf } from "../../rules/time";
import { visible } from "../../rules/visible";
import type { VoiceHolder } from "../../rules/voice-holder";
import type { ListedVoice } from "../../service/voices/client";
import { rowOf, voiceCount } from "../listing";
import { trustedAccount } from "./account";
import { nameIn } from "./change";
import type { StackName } from "./review";
import { dollars } from "./verdict";

/** How the stack's state and the account differ, whatever the program declares. `--json` prints it as it is. */
export interface Drift extends StackName {
  /** How many voices the stack's state holds. */
  held: number;
  /** Voices of the state that the account does not have. */
  missing: { voice: string; urn: string }[];
  /** Voices of the account with a generated name of this stack that no stack in the backend has. */
  orphans: { voice: string; createdAt: string }[];
  /** Why the voices were more likely not deleted, although none of them was found. */
  massLoss?: string;
}

export interface DriftFacts {
  named: StackName;
  held: VoiceHolder[];
  /** The voices that the program only reads. No update creates or deletes these. */
  read: VoiceHolder[];
  listed: ListedVoice[];
  /** The fingerprint of the account that was listed. */
  fingerprint: string;
  /** The setting `rotatedFrom`. */
  rotatedFrom?: string | undefined;
  acceptMissing?: Loss["accept"];
}

/** The orphans are those of this stack alone: another stack may have them. */
export function driftOf(facts: DriftFacts): Drift | { unknown: string } {
  const { named, held, read, listed, fingerprint, rotatedFrom, acceptMissing = "some" } = facts;
  // The next update deletes an old copy, so it may be missing already.
  const live = held.filter(({ isOld }) => !isOld);
  const account = trustedAccount(listed, live, fingerprint, rotatedFrom);
  if (!Array.isArray(account)) return account;
  const present = new Set(account.map(({ voice }) => voice));
  const missing = live.filter(({ voice }) => !present.has(voice)).map(({ voice, savedUrn: urn }) => ({ voice, urn }));
  const stack = live[0]?.stack ?? named.stack;
  const massLoss = massLossProblem({ stack, held: live.length, missing: missing.length, accept: acceptMissing });
  return {
    ...named,
    held: live.length,
    missing,
    ...(massLoss !== undefined && { massLoss }),
    orphans: orphanedVoices(account, [...held, ...read]).map((row) => ({
      voice: row.voice,
      createdAt: rowOf(row).createdAt,
    })),
  };
}

export function hasDrift({ missing, orphans }: Drift): boolean {
  return missing.length + orphans.length > 0;
}

/**
 * The drift as text for a terminal; with the quoting of Markdown, as a comment or a job's summary. `fullName` is the
 * stack's: a short one may mean another stack to whoever runs the command.
 */
export function driftText(
  drift: Drift,
  fullName: string,
  quote: (text: string) => string = visible,
  heading = "",
): string {
  const { project, stack, held, missing, orphans, massLoss } = drift;
  const counts = hasDrift(drift) ? `${missing.length} missing, ${orphans.length} orphaned` : "none";
  const lines = [`${heading}Drift of ${quote(`${project}/${stack}`)}: ${counts}`, `${voiceCount(held)} in the state.`];
  if (massLoss !== undefined) lines.push("", `Warning: ${quote(massLoss)}.`);
  if (missing.length > 0) {
    lines.push(
      "",
      `In the state and not in the account. ${quote("pulumi up --refresh")} creates them again ` +
        `(${dollars(voicesCost(missing.length))}):`,
      ...missing.map(({ urn, voice }) => `- ${quote(nameIn(urn))}: ${quote(voice)}`),
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
  return `${lines.join("\n")}\n`;
}
