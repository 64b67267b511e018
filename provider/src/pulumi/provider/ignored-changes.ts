import { unmarkPath } from "../shared/declared-path";
import type { ResourceIdentity } from "../shared/identity";
import type { Props } from "./lifecycle";

/**
 * Whether the engine put back all inputs, because of `ignoreChanges: ["*"]`. It also removes every input that the state
 * does not have, and `identity` never stands in a state.
 */
export function ignoresEverything(olds: Props, identity: unknown, unknown: ReadonlySet<string>): boolean {
  return Object.keys(olds).length > 0 && identity === undefined && !unknown.has("identity");
}

/**
 * The inputs that count, after the engine put back what `ignoreChanges` names. If that is `audio` or `audioSha256`,
 * the recording stays as the state has it, and its file is not read.
 */
export function withRecording(
  olds: Props,
  passed: Props,
  unknown: ReadonlySet<string>,
  identity: ResourceIdentity | undefined,
): { news: Props; unknown: ReadonlySet<string>; keepsRecording: boolean } {
  if (!putsRecordingBack(olds, passed, identity)) {
    const { audio, ...others } = passed;
    const news = typeof audio === "string" ? { ...others, audio: unmarkPath(audio) } : passed;
    return { news, unknown, keepsRecording: false };
  }
  const { audio, audioSha256, audioSeconds } = olds;
  return {
    news: { ...passed, audio, audioSha256, audioSeconds },
    unknown: new Set([...unknown].filter((name) => name !== "audio")),
    keepsRecording: true,
  };
}

/** The program passes no `audioSha256`, and it marks the paths of recordings (shared/declared-path.ts). */
function putsRecordingBack(olds: Props, passed: Props, identity: ResourceIdentity | undefined): boolean {
  if (olds.audio === undefined) return false;
  return passed.audioSha256 !== undefined || (identity?.marksPaths === true && passed.audio === olds.audio);
}
