import { describeThrown } from "../../../describe-thrown";
import { entryName } from "../../../rules/resource-types";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { clonedVoices } from "../../../service/voices/account";
import { Holdings, type VoiceStep } from "../../../voices/judge/quota";
import type { Operation } from "../operation";
import { verdictAtCreate } from "../voice/existing";
import { isRefused, limitProblem } from "../voice/quota";
import { entryOf, type SetResource } from "./entry";
import { type Need, type PlanOptions, roomLine, type Step, stepsOf } from "./plan";
import type { SetVoices } from "../../../rules/voice-set";

/** The needs with the voices that creates will take from the account. */
export async function withTaken(operation: Operation, needs: readonly Need[], resource: SetResource): Promise<Need[]> {
  const { service } = operation;
  const taken = async ({ key, wanted: { inputs } }: Need): Promise<string | undefined> => {
    const { adopt, preferredName = "", targetModel = "" } = inputs;
    if (adopt !== undefined || !hasGeneratedName(inputs)) return adopt;
    const found = await service.account.named(preferredName, targetModel);
    const verdict = await verdictAtCreate(operation, inputs as CheckedVoice, entryOf(resource, key), found);
    return verdict.action === "reuse" ? verdict.voice.voice : undefined;
  };
  return Promise.all(
    needs.map(async (need) => (need.action === "create" ? { ...need, takes: await taken(need) } : need)),
  );
}

/** The free places of the account, as the operation sees it now. */
export async function freePlaces({ settings, service }: Operation): Promise<number> {
  if (settings.quotaCheck === "off") return Infinity;
  return settings.voiceQuota - clonedVoices(await service.account.voices()).length;
}

export interface JudgedRoom {
  /** Why the account or the stack has no room. */
  problem?: string | undefined;
  /** The free places that the other resources leave. */
  room: number;
  /** The voices that the entries' creates will take, by key. */
  taken?: ReadonlyMap<string, string | undefined>;
}

/**
 * Judges once whether the account and the stack have room for the steps of a set, beside the other resources that were
 * checked so far.
 */
export async function judgeRoom(
  operation: Operation,
  held: SetVoices,
  needs: readonly Need[],
  resource: SetResource,
  options: Omit<PlanOptions, "room">,
): Promise<JudgedRoom> {
  const { settings, service, states, quota, log } = operation;
  if (settings.quotaCheck === "off" || needs.every(({ action }) => action !== "create")) return { room: Infinity };
  const saved = await states.ownAtStart().catch((error: unknown) => describeThrown(error).message);
  const holdings = typeof saved === "string" ? new Holdings([]) : quota.holdings(saved.holders);
  try {
    const inAccount = await service.account.countAtStart();
    const room = settings.voiceQuota - quota.counts(inAccount, holdings).account.peak;
    const known = await withTaken(operation, needs, resource);
    const taken = new Map(known.map(({ key, takes }) => [key, takes]));
    const steps = stepsOf(held, known, { ...options, room });
    for (const step of voiceSteps(steps, resource, options)) quota.add(step);
    const counts = quota.counts(inAccount, holdings);
    const unread = typeof saved === "string" ? saved : undefined;
    const problem = limitProblem(operation, { ...counts, unread });
    const line = roomLine(steps);
    if (problem === undefined && line !== undefined) log.line(line);
    return { problem, room, taken };
  } catch (error) {
    if (isRefused(error)) throw error;
    log.warn(`the quota could not be checked: ${describeThrown(error).message}`);
    return { room: Infinity };
  }
}

/** The steps as those of resources of their own, for the quota of the whole program. */
function voiceSteps(
  steps: readonly Step[],
  resource: SetResource,
  { keepsOld }: Omit<PlanOptions, "room">,
): VoiceStep[] {
  const deletes = new Map(steps.flatMap((step) => (step.action === "delete" ? [[step.chain, step] as const] : [])));
  return steps.flatMap((step): VoiceStep[] => {
    const urn = entryOf(resource, step.key).identity?.urn ?? "";
    const retained = keepsOld;
    if (step.action === "keep") return [];
    if (step.action === "delete") {
      const { why, first, state } = step;
      // That of a replaced voice is in the step of its create.
      if (why === "replaced") return [];
      const own = why === "superseded" ? `${urn} ${entryName("superseded", state.voice)}` : urn;
      const leaves = why === "superseded" || first !== undefined ? "first" : "last";
      return [{ urn: own, creates: false, old: state.voice, leaves, retained }];
    }
    const { takes } = step.need;
    const old = deletes.get(step.chain);
    const leaves = old && (old.first === undefined ? "last" : "first");
    return [{ urn, creates: step.needs === 1, takes, ...(old && { old: old.state.voice, leaves, retained }) }];
  });
}
