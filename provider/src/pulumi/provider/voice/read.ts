import { InputError } from "../../../errors";
import { hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import type { ListedVoice } from "../../../service/voices/client";
import { shellQuoted } from "../../../shell-quoted";
import { unusableLine } from "../../../voices/judge/create";
import { skippedDelete } from "../../../voices/judge/delete";
import { sharedByState } from "../../../voices/judge/keep";
import type { Operation } from "../operation";
import { assertSameAccount } from "./ask";
import { boundToAnother } from "./send-create";

export async function readVoice(
  operation: Operation,
  voice: string,
  state: VoiceOutputs,
): Promise<VoiceOutputs | undefined> {
  const { facts, log, missing, service } = operation;
  const holding = facts.holdersOf(voice); // Reads the states while the voices are listed.
  const { found, doubt } = await facts.look(voice, state.createdAt);
  if (found === undefined) {
    await assertSameAccount(operation, "is not in this account", voice, state);
    await missing.assertGone(voice, doubt);
    await forgetGone(operation, voice);
    return undefined;
  }
  missing.recordFound();
  const holders = await holding;
  const skipped = skippedDelete(voice, holders);
  if (skipped !== undefined) log.warn(skipped);
  const shared = sharedByState(voice, holders);
  if (shared !== undefined) throw new InputError(shared);
  warnOfListed(operation, found, state);
  await reportDuplicates(operation, voice, state);
  return { createdAt: found.gmtCreate, ...state, voice, account: service.voiceFingerprint() };
}

async function forgetGone({ journal, log, quota }: Operation, voice: string): Promise<void> {
  log.line(
    `the voice ${voice} no longer exists: it was deleted outside Pulumi, or not used for a year. ` +
      "The next update creates it again",
  );
  await journal.forgetId(voice);
  quota.leave(voice);
}

function warnOfListed({ log }: Operation, { voice, targetModel, unusable }: ListedVoice, state: VoiceOutputs): void {
  if (targetModel !== "" && targetModel !== state.targetModel) log.warn(boundToAnother(voice, targetModel));
  if (unusable !== undefined) log.warn(unusableLine(voice, unusable));
}

/**
 * Reports a second voice with the same generated name. Usually the service created it after its response was lost, or
 * after a run was killed. Nothing deletes it by itself, because another backend may have a voice of this name.
 */
async function reportDuplicates({ service, log }: Operation, voice: string, state: VoiceOutputs): Promise<void> {
  if (!hasGeneratedName(state)) return;
  for (const { voice: second } of await service.account.named(state.preferredName, state.targetModel)) {
    if (second === voice) continue;
    log.line(
      `the account has a second voice with the name of ${voice}: ${second}. Unless another resource uses it (also in ` +
        "another backend), a create whose response was lost, or a killed run, left it. To delete it: " +
        `\`npx --no-install pulumi-cloudvoice delete ${shellQuoted(second)}\``,
    );
  }
}
