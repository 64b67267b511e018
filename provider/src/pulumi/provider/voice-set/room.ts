import { InputError } from "../../../errors";
import { entryName } from "../../../rules/resource-types";
import { type CheckedVoice, hasGeneratedName } from "../../../rules/voice";
import { clonedVoices } from "../../../service/voices/account";
import type { VoiceStep } from "../../../voices/judge/voice-count";
import type { Operation } from "../operation";
import { verdictAtCreate } from "../voice/existing";
import { heldAtStart, limitProblem, warnOfUnchecked } from "../voice/quota-check";
import { entryOf, type SetResource } from "./entry";
import { isLeaving, isPaid, type PlannedEntry, roomLine, type Step, stepsOf } from "./plan";
import type { SetInputs, SetVoices } from "../../../rules/voice-set";

/** Adds to each entry the existing voice that its create will take (`takes`), if there is one. */
export async function withTaken(
  operation: Operation,
  entries: readonly PlannedEntry[],
  resource: SetResource,
): Promise<PlannedEntry[]> {
  const taken = async ({ key, wanted: { inputs } }: PlannedEntry): Promise<string | undefined> => {
    const { adopt, preferredName = "", targetModel = "" } = inputs;
    if (adopt !== undefined || !hasGeneratedName(inputs)) return adopt;
    const found = await operation.service.account.named(preferredName, targetModel);
    const verdict = await verdictAtCreate(operation, inputs as CheckedVoice, entryOf(resource, key), found);
    return verdict.action === "reuse" ? verdict.voice.voice : undefined;
  };
  return Promise.all(
    entries.map(async (entry) => (entry.keeps === undefined ? { ...entry, takes: await taken(entry) } : entry)),
  );
}

/** How many more voices fit in the account now. */
export async function freePlaces({ settings, service }: Operation): Promise<number> {
  if (settings.quotaCheck === "off") return Infinity;
  return settings.voiceQuota - clonedVoices(await service.account.voices()).length;
}

/**
 * Plans the steps of a set for the room that the account has beside the resources checked before. Throws if there is no
 * room.
 */
export async function stepsInRoom(
  operation: Operation,
  held: SetVoices,
  entries: readonly PlannedEntry[],
  resource: SetResource,
  news: SetInputs,
): Promise<Step[]> {
  const { settings, service, quota, log } = operation;
  const { urn } = resource.identity;
  const withoutLimit = () => stepsOf(held, entries, news, Infinity);
  if (settings.quotaCheck === "off" || entries.every(({ keeps }) => keeps !== undefined)) return withoutLimit();
  const { held: holdings, unread } = await heldAtStart(operation);
  let inAccount: number;
  let taking: PlannedEntry[];
  try {
    inAccount = await service.account.countAtStart();
    taking = await withTaken(operation, entries, resource);
  } catch (error) {
    warnOfUnchecked(operation, error);
    return withoutLimit();
  }
  quota.planSet(urn, []);
  const room = settings.voiceQuota - quota.counts(inAccount, holdings).account.peak;
  const steps = stepsOf(held, taking, news, room);
  quota.planSet(urn, voiceSteps(steps, resource));
  const problem = limitProblem(operation, { ...quota.counts(inAccount, holdings), unread });
  if (problem !== undefined) throw new InputError(problem);
  const line = roomLine(steps);
  if (line !== undefined) log.line(line);
  return steps;
}

/** The steps in the form in which the quota check of the whole program counts the steps of single voices. */
function voiceSteps(steps: readonly Step[], resource: SetResource): VoiceStep[] {
  const leaving = new Map(steps.flatMap((step) => (isLeaving(step) ? [[step.chain, step] as const] : [])));
  return steps.flatMap((step): VoiceStep[] => {
    const urn = entryOf(resource, step.key).identity?.urn ?? "";
    if (step.action === "keep") return [];
    const old = leaving.get(step.chain);
    // A replaced voice is counted with the create that replaces it.
    if (isLeaving(step) && step.why === "replaced") return [];
    const leaves = old && (old.why === "superseded" || old.first !== undefined ? "first" : "last");
    return [
      {
        urn: old?.why === "superseded" ? `${urn} ${entryName("superseded", old.state.voice)}` : urn,
        creates: isPaid(step),
        ...(step.action === "create" && { takes: step.entry.takes }),
        ...(old && { old: old.state.voice, leaves, retained: old.action === "release" }),
      },
    ];
  });
}
