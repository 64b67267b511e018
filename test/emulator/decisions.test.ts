import { decide } from "../../provider/emulator/decisions";
import type { DecisionAnswers } from "../../provider/emulator/types";
import { decisionPath } from "../support/contract";
import { emulate } from "../support/emulate";

const questions = {
  tone: { type: "choice", criteria: { friendly: "Kind", neutral: "Plain", rude: "Unkind" } },
  sendable: { type: "noul" },
  clarity: { type: "score", criteria: ["unclear", "clear", "very clear"] },
};
const decided = (state: string, chosen?: DecisionAnswers) =>
  decide({ model: "decision-model-preview", state, questions }, chosen);
const answered = (state: string, chosen?: DecisionAnswers) => {
  const { output } = decided(state, chosen) as unknown as {
    output: { answers: { tone: { choice: string }; sendable: { noul: number }; clarity: { score: number } } };
  };
  const { tone, sendable, clarity } = output.answers;
  return [tone.choice, Math.round(sendable.noul), Math.round(clarity.score)];
};

test("every text is answered with the first option, yes and the highest level, unless its words say otherwise", () => {
  for (let text = 0; text < 40; text++) expect(answered(`Text ${text}`)).toEqual(["friendly", 1, 2]);
  expect(answered("tone=rude sendable=no clarity=0")).toEqual(["rude", 0, 0]);
});

test("answers can be chosen by the id of the question; the words of a text win", () => {
  expect(answered("Text", { tone: "neutral", sendable: false, clarity: 1, other: "x" })).toEqual(["neutral", 0, 1]);
  expect(answered("tone=rude", { tone: "neutral", sendable: "yes", clarity: "0" })).toEqual(["rude", 1, 0]);
  expect(decided("Text", { tone: "rud" })).toMatchObject({
    status: 400,
    message: "The emulator can't answer tone with rud, only with: friendly, neutral, rude.",
  });
});

test("the control path replaces the answers", async () => {
  const emulator = await emulate({ answers: { tone: "rude" } });
  const ask = async () => {
    const response = await fetch(emulator.url + decisionPath, {
      method: "POST",
      headers: { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "decision-model-preview", state: "Text", questions }),
    });
    return await response.text();
  };
  expect(await ask()).toContain('"choice":"rude"');
  await fetch(`${emulator.url}/_emulator/answers`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ answers: { tone: "friendly" } }),
  });
  expect(await ask()).toContain('"choice":"friendly"');
});
