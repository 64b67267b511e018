import { isBoundToAnother } from "../../../rules/existing-voice";
import { createdAt } from "../../../rules/time";
import type { CheckedVoice } from "../../../rules/voice";
import { InputError } from "../../../errors";
import type { ListedVoice } from "../../../service/voices/client";
import type { Props } from "../adapter";
import { providerProcess } from "../operation";

/** Why a voice can't be adopted, as far as a preview can tell: where the list can't be had, it goes on without. */
export async function adoptFaultOf(inputs: Props): Promise<string | undefined> {
  const { adopt: name, targetModel } = inputs as Partial<CheckedVoice>;
  if (name === undefined) return undefined;
  const { account } = providerProcess().service;
  if (account.isLive(name)) return sharedAdoption(name);
  return account.find(name).then(
    (found) => adoptionFault(name, found, targetModel),
    () => undefined,
  );
}

function adoptionFault(name: string, found: ListedVoice | undefined, targetModel: unknown): string | undefined {
  if (!found) return `the account has no voice ${name}; see what it has with \`npx cloudvoice voices\``;
  if (!isBoundToAnother(found, targetModel)) return undefined;
  return `the voice ${name} is bound to ${found.targetModel}; declare that as targetModel, or adopt another voice`;
}

/** Takes the voice over. */
export async function adopt(name: string, { targetModel }: CheckedVoice) {
  const { service } = providerProcess();
  const found = await service.account.find(name);
  const fault = service.account.isLive(name) ? sharedAdoption(name) : adoptionFault(name, found, targetModel);
  if (found === undefined || fault !== undefined) throw new InputError(`adopt: ${fault ?? ""}`);
  service.account.noteMade(found);
  return { voice: found.voice, createdAt: createdAt(found.gmtCreate), degraded: false, adopted: true };
}

export function sharedAdoption(voice: string): string {
  return `the voice ${voice} belongs to another resource of this stack; two can't share it`;
}
