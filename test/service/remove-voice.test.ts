import {
  AuthenticationError,
  type CloudVoiceError,
  LostAnswerError,
  NotFoundError,
  RejectedError,
  UnexpectedAnswerError,
} from "../../provider/src/errors";
import type { Service } from "../../provider/src/service/connect";
import { Account } from "../../provider/src/service/voices/account";
import { removeVoice } from "../../provider/src/service/voices/remove";
import { fakeClock } from "../support/service";

/** After a delete that is no clear success, the list decides: two lists, unless the service says that it has no voice. */

const inWords = new UnexpectedAnswerError("the response has an unexpected form", { status: 200 });
const settleMs = 4000;
type Look = boolean | "doubtful" | "empty";

/** Deletes with this error, while the lists show these things. Returns the result, and how long it took. */
async function removed(error: CloudVoiceError, looks: Look[], wasLost = false) {
  const clock = fakeClock();
  const listPage = () => {
    const look = looks.shift() ?? true;
    const shown = look === true ? ["v"] : look === "empty" ? [] : ["other"];
    const voices = shown.map((voice) => ({ voice, targetModel: "m" }));
    const doubt = look === "doubtful" ? "it counts other voices" : undefined;
    return Promise.resolve({ voices, total: voices.length, doubt, more: undefined });
  };
  const pages = (index: number) =>
    index === 0 ? listPage() : Promise.resolve({ voices: [], total: 1, doubt: undefined, more: undefined });
  const remove = (_: string, onLost: () => void) => {
    if (wasLost) onLost();
    return Promise.reject(error);
  };
  const account = new Account({ listPage: pages }, { settleMs }, clock);
  account.recordChange("v");
  const service = { clock, voices: { remove }, account };
  const result = await removeVoice(service as unknown as Service, "v").catch(
    (thrown: unknown) => (thrown as Error).message,
  );
  return { result, waitedMs: clock.slept.reduce((sum, ms) => sum + ms, 0) };
}

test.each<[what: string, error: CloudVoiceError, looks: Look[], wasLost: boolean, result: unknown, waitedMs: number]>([
  ["a success in words, with a list that is late", inWords, [true, false], false, "deleted", settleMs],
  ["a success in words, with the voice in both lists", inWords, [], false, expect.stringMatching(/HTTP 200/), settleMs],
  [
    "a refusal, without the voice in two lists",
    new RejectedError("no", { status: 400 }),
    [false, false],
    false,
    "absent",
    settleMs,
  ],
  [
    "a refusal, with lists without any voice",
    new RejectedError("no", { status: 403 }),
    ["empty", "empty"],
    false,
    "no (HTTP 403). The voice list is no proof of a deletion: it has no voice at all. " +
      "If a stack has the voice, `pulumi refresh` asks whether it is gone.",
    settleMs,
  ],
  [
    "an absence, with lists without any voice",
    new NotFoundError("no", { status: 404 }),
    ["empty", "empty"],
    false,
    "absent",
    0,
  ],
  [
    "a refusal, with the voice in the second list",
    new RejectedError("no", { status: 400 }),
    [false, true],
    false,
    "no (HTTP 400)",
    settleMs,
  ],
  ["a refusal, with the voice in the list", new RejectedError("no", { status: 400 }), [], false, "no (HTTP 400)", 0],
  [
    "an absence, with a list that is late",
    new RejectedError("no", { status: 410 }),
    [true, false],
    false,
    "absent",
    settleMs,
  ],
  [
    "a named absence, with the voice in both lists",
    new NotFoundError("no", { status: 400 }),
    [],
    false,
    "no (HTTP 400)",
    settleMs,
  ],
  [
    "a named absence, without the voice in the list",
    new NotFoundError("no", { status: 400 }),
    [false],
    false,
    "absent",
    0,
  ],
  ["a named absence after a lost response", new NotFoundError("no", { status: 400 }), [false], true, "deleted", 0],
  [
    "a lost response, without the voice in two lists",
    new LostAnswerError("lost"),
    [false, false],
    true,
    "deleted",
    settleMs,
  ],
  [
    "a lost response, with the voice in the second list",
    new LostAnswerError("lost"),
    [false, true],
    true,
    "lost",
    settleMs,
  ],
  [
    "a refused key: the list is not asked",
    new AuthenticationError("key", { status: 401 }),
    [false],
    false,
    "key (HTTP 401)",
    0,
  ],
  [
    "lists that are not whole",
    new RejectedError("no", { status: 400, advice: "Look." }),
    ["doubtful", "doubtful", "doubtful", "doubtful"],
    false,
    "no (HTTP 400). Look. The voice list is no proof of a deletion: it counts other voices. " +
      "If a stack has the voice, `pulumi refresh` asks whether it is gone.",
    settleMs,
  ],
])("%s", async (_, error, looks, wasLost, result, waitedMs) => {
  expect(await removed(error, looks, wasLost)).toEqual({ result, waitedMs });
});
