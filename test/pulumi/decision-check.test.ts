import type { Emulator } from "../../provider/src/emulator";
import { decisionCheck, question } from "../../provider/src";
import { emulate } from "../support/emulate";

/** `decisionCheck` in a program: errors come before the call, and a lost response is paid for at most twice. */

let emulator: Emulator;
beforeEach(async () => {
  emulator = await emulate();
  process.env.CLOUDVOICE_BASE_URL = emulator.url;
  process.env.CLOUDVOICE_API_KEY = emulator.apiKey;
});
afterEach(() => {
  delete process.env.CLOUDVOICE_BASE_URL;
  delete process.env.CLOUDVOICE_API_KEY;
});

test("bad questions are rejected with a message before any call to the service", async () => {
  await expect(decisionCheck({ state: "", questions: {} })).rejects.toThrow(
    /^decisionCheck: state is empty; questions must be an object with at least one question/,
  );
  expect(emulator.ledger()).toEqual([]);
});

test("every call asks, and a call whose response is lost asks once more", async () => {
  const questions = { team: question.choice("Who?", { billing: "b", support: "s" }) };
  const team = async () => (await decisionCheck({ state: { b: 1, a: "team=support" }, questions })).answers.team.choice;
  emulator.setFaults([{ kind: "reset-after", times: 1 }]);
  expect([await team(), await team()]).toEqual(["support", "support"]);
  expect(emulator.summary().calls.decide).toBe(3);
});
