import type { Identity } from "../../rules/naming";

/** What the program passes to `check` about a voice, beside its inputs. `check` keeps it out of the state. */
export interface VoiceIdentity extends Identity {
  /** Whether the old voice is deleted before the new one is created, which the quota depends on. */
  deleteBeforeReplace?: boolean;
  /** Whether to ignore other bytes under the same path. The engine itself can only ignore the path. */
  ignoreAudio?: boolean;
}
