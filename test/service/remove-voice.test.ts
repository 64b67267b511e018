import {
  AuthenticationError,
  type CloudVoiceError,
  LostAnswerError,
  NotFoundError,
  RejectedError,
  UnexpectedAnswerError,
} from "../../provider/src/errors";
import type { Service } from "../../provider/src/service/connect";
import { removeVoice } from "../../provider/src/service/voices/remove";
import { fakeClock } from "../support/service";

/** After a delete that is no clear success, the list decides. */

const inWords = new UnexpectedAnswerError("the response has an unexpected form", { status: 200 });
const unknownList = new Error("the response names no voices");

/** Deletes with this error, while the list shows what the looks say. Returns the result, and how long it took. */
async function removed(error: CloudVoiceError, looks: (boolean | Error)[], settleMs = 4000, attempts = 1) {
  const clock = fakeClock();
  const service = {
    clock,
    voices: {
      remove: async (_: string, beforeSend: () => Promise<void>) => {
        for (let attempt = 0; attempt < attempts; attempt++) await beforeSend();
        throw error;
      },
    },
    account: {
      isListedNow: () => {
        const look = looks.shift() ?? true;
        return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
      },
    },
  } as unknown as Service;
  const result = await removeVoice(service, "v", { settleMs }).catch((thrown: unknown) => (thrown as Error).message);
  return { result, waitedMs: clock.slept.reduce((sum, ms) => sum + ms, 0) };
}

test.each<[what: string, error: CloudVoiceError, looks: (boolean | Error)[], result: unknown, waitedMs: number]>([
  ["a success in words, with a list that is late", inWords, [true, true, false], false, 1500],
  ["a success in words, with the voice in the list to the end", inWords, [], expect.stringMatching(/HTTP 200/), 4000],
  ["a refusal, without the voice in the list", new RejectedError("no", { status: 400 }), [false], false, 0],
  ["a refusal, with the voice in the list", new RejectedError("no", { status: 400 }), [], "no (HTTP 400)", 0],
  ["an absence, with a list that is late", new RejectedError("no", { status: 410 }), [true, true, false], false, 1500],
  [
    "an unnamed absence, with the voice in the list",
    new RejectedError("no", { status: 404 }),
    [],
    "no (HTTP 404)",
    4000,
  ],
  ["a named absence, with the voice in the list", new NotFoundError("no", { status: 400 }), [], "no (HTTP 400)", 4000],
  ["a named absence, without the voice in the list", new NotFoundError("no", { status: 400 }), [false], false, 0],
  ["a lost response, without the voice in the list", new LostAnswerError("lost"), [false], false, 0],
  [
    "a refused key: the list is not asked",
    new AuthenticationError("key", { status: 401 }),
    [false],
    "key (HTTP 401)",
    0,
  ],
  [
    "a list that is not understood",
    new RejectedError("no", { status: 400, advice: "Look." }),
    [unknownList],
    "no (HTTP 400). Look. It is not known whether the voice is gone: the response names no voices",
    0,
  ],
])("%s", async (_, error, looks, result, waitedMs) => {
  expect(await removed(error, looks)).toEqual({ result, waitedMs });
});

test("after a second attempt the list may show the voice that the first has deleted, so it is waited for", async () => {
  const refusal = new RejectedError("no such voice", { status: 423 });
  expect(await removed(refusal, [true, true, false], 4000, 2)).toEqual({ result: false, waitedMs: 1500 });
});
