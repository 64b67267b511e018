import { visible } from "../../rules/visible";
import type { ListedVoice } from "../../service/voices/client";
import { selectVoices, type ShownVoice } from "../listing";
import type { Change } from "./change";
import type { ReviewFacts } from "./facts";
import type { IdsInState } from "./ids";

export interface OtherVoice extends ShownVoice {
  /** The stack whose state has the voice, if one is known. */
  stack?: string;
}

export type Others = OtherVoice[] | { unknown: string };

/** The account's voices that this stack's state does not have, oldest first, without those that a change takes over. */
export function othersOf(changes: Change[], listed: ListedVoice[], ids: IdsInState, facts: ReviewFacts): Others {
  const { preview, held, elsewhere, nowMs, todayMs = nowMs } = facts;
  if (!preview.whole && held === undefined)
    return {
      unknown: "the preview lacks unchanged resources. Run it with --show-sames, or name the stack with --stack",
    };
  const takenOver = new Set(changes.map(({ takes }) => takes));
  const others = listed.filter(({ voice }) => !ids.has(voice) && !takenOver.has(voice));
  return selectVoices(others, {}, todayMs).map((row) => {
    const stack = elsewhere?.get(row.voice);
    return { ...row, ...(stack !== undefined && { stack: visible(stack) }) };
  });
}
