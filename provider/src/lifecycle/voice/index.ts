import type { CheckedVoice, VoiceOutputs } from "../../rules/voice";
import { voiceInputs } from "../../rules/voice-fields";
import { type Lifecycle, withOutputsOf } from "../lifecycle";
import type { Operation } from "../operation";
import { factsOfAdopted, importVoice } from "./adopt";
import { checkVoice } from "./check";
import { createVoice } from "./create";
import { deleteVoice } from "./delete";
import { diffVoice, keepVoice } from "./diff";
import { readVoice } from "./read";

export function voiceLifecycle(operation: Operation): Lifecycle<CheckedVoice, VoiceOutputs> {
  return {
    check: (...call) => checkVoice(operation, ...call),
    diff: (...call) => diffVoice(operation, ...call),
    create: (...call) => createVoice(operation, ...call),
    /** The voice stays as it is, because only inputs have changed that do not replace it. */
    update(id, olds, news) {
      const state = withOutputsOf(voiceInputs, olds, news);
      return Promise.resolve(olds.adoptedWith === undefined ? state : { ...state, ...factsOfAdopted(id, news) });
    },
    read: (...call) => readVoice(operation, ...call),
    delete: (...call) => deleteVoice(operation, ...call),
    import: (id) => importVoice(operation, id),
    claimImport: (id, resource) => Promise.resolve(keepVoice(operation, id, {}, resource)),
  };
}
