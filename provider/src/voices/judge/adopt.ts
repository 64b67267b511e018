import { unknownValue } from "../../rules/unknown";
import { describeHolder, type VoiceHolder } from "../holder";

/** Why a voice can't be adopted, judged by its row in the account's list. Undefined if it can. */
export function adoptionProblem(
  voice: string,
  found: { targetModel: string } | undefined,
  targetModel: unknown,
): string | undefined {
  if (!found)
    return `the account's list shows no voice ${voice}; \`npx --no-install pulumi-cloudvoice voices\` lists the voices that it has`;
  if (["", targetModel].includes(found.targetModel) || targetModel === unknownValue) return undefined;
  return `the voice ${voice} is bound to ${found.targetModel}; set targetModel to this model, or adopt another voice`;
}

/** The problem if another resource of this program holds or adopts the voice. */
export function sharedVoice(voice: string): string {
  return (
    `the voice ${voice} belongs to another resource of this stack; two resources can't share a voice. ` +
    "Take adopt out, or take the other resource out of the program"
  );
}

export function deletedBefore(voice: string, name: string): string {
  return (
    `${name} deletes the voice ${voice} before its replacement (deleteBeforeReplace). ` +
    `Take that option out of ${name} for this update`
  );
}

/** The problem if another resource holds the voice, whether that resource is about to leave its stack or not. */
export function heldElsewhere(voice: string, holder: VoiceHolder): string {
  return (
    `${describeHolder(holder)} holds the voice ${voice}, and two resources can't share a voice. To move it, set ` +
    "retainOnDelete on that resource and run `pulumi up` there, take the voice here, and then remove that resource"
  );
}
