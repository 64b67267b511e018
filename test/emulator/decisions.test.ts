import { decide } from "../../provider/emulator/decisions";

const questions = {
  tone: { type: "choice", criteria: { friendly: "Kind", neutral: "Plain", rude: "Unkind" } },
  sendable: { type: "noul" },
  clarity: { type: "score", criteria: ["unclear", "clear", "very clear"] },
};
const answered = (state: string) => {
  const { output } = decide({ model: "decision-model-preview", state, questions }) as unknown as {
    output: { answers: { tone: { choice: string }; sendable: { noul: number }; clarity: { score: number } } };
  };
  const { tone, sendable, clarity } = output.answers;
  return [tone.choice, Math.round(sendable.noul), Math.round(clarity.score)];
};

test("every text is answered with the first option, yes and the highest level, unless its words say otherwise", () => {
  for (let text = 0; text < 40; text++) expect(answered(`Text ${text}`)).toEqual(["friendly", 1, 2]);
  expect(answered("tone=rude sendable=no clarity=0")).toEqual(["rude", 0, 0]);
});
