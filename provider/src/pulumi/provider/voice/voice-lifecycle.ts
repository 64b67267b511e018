import { type CheckedVoice, type VoiceOutputs } from "../../../rules/voice";
import { voiceInputs } from "../../../rules/voice-inputs";
import { type Lifecycle, withOutputsOf } from "../lifecycle";
import type { Operation } from "../operation";
import { claimImport, factsOfAdopted, importVoice } from "./adoption";
import { checkVoice } from "./check";
import { createVoice } from "./create";
import { deleteVoice } from "./delete";
import { diffVoice } from "./diff";
import { readVoice } from "./read";

/** What each call of the engine does with a voice. Each line leads to the file that is named for the call. */
export function voiceLifecycle(operation: Operation): Lifecycle<CheckedVoice, VoiceOutputs> {
  return {
    check: (...call) => checkVoice(operation, ...call),
    diff: (...call) => diffVoice(operation, ...call),
    create: (...call) => createVoice(operation, ...call),
    /** Only inputs whose change is free have changed: the voice stays as it is. */
    update(id, olds, news) {
      const state = withOutputsOf(voiceInputs, olds, news);
      return Promise.resolve(olds.adoptedWith === undefined ? state : { ...state, ...factsOfAdopted(id, news) });
    },
    read: (id, state) => readVoice(operation, id, state),
    delete: (...call) => deleteVoice(operation, ...call),
    import: (id) => importVoice(operation, id),
    claimImport: (...call) => claimImport(operation, ...call),
  };
}
