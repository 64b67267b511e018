import { shellQuoted } from "../../rules/visible";
import { reasonToStay } from "../../rules/naming";
import type { VoiceOutputs } from "../../rules/voice";
import type { Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { removeVoice } from "../../service/voices/remove";
import { assertAccount } from "./ask";

/** Removes the voice that this resource created or imported. */
export async function deleteVoice(
  operation: Operation,
  voice: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { service, notes, given, checks, billed, log } = operation;
  const reason = reasonToStay(voice, state);
  if (reason !== undefined) {
    const command = `npx --no-install pulumi-cloudvoice delete ${shellQuoted(voice)}`;
    return log.line(
      `the voice ${voice} stays in the account: ${reason}. To delete it, if nobody else uses it: ${command}`,
    );
  }
  if (given.isUsed(voice))
    return log.line(`the voice ${voice} stays in the account: this update gave it to a resource of the program`);
  return given.deleteOnce(voice, async () => {
    // Otherwise the voice would be gone, and its replacement refused, e.g. by CLOUDVOICE_MAX_BILLED.
    if (checks.awaitsCreate(resource)) await billed.reserve("voices", resource.label);
    await notes.markLeaving(voice, state);
    service.account.recordChange(voice);
    const was = await removeVoice(service, voice);
    if (was === "absent") assertAccount(operation, voice, state, resource);
    await notes.removeOf(voice, state);
  });
}
