import { passedGates } from "../../provider/src/cli/review/explain";
import type { Step } from "../../provider/src/cli/review/preview";
import { exitCodeOf } from "../../provider/src/cli/review/review";
import { alarms } from "../../provider/src/cli/review/words";
import { question } from "../../provider/src/rules/decision";
import { unknownValue } from "../../provider/src/rules/values";
import { urnOf, step, preview, review } from "../support/review-steps";

/** What a review says of gates: those that will close, and those that a run leaves out. */

describe("a gate that will close is seen before", () => {
  const friendly = {
    tone: { type: "choice", choice: "friendly", confidence: 0.9, probabilities: { friendly: 0.95, rude: 0.05 } },
  };
  const questions = { tone: question.choice("Which?", { friendly: "Warm", rude: "Impolite" }) };
  const gate = (expect: unknown, answers: unknown = friendly) =>
    step("update", "gate", {
      ...{ kind: "decision", outputs: { answers }, olds: { questions }, news: { questions, expect } },
    });
  const gateUrn = urnOf("gate", "decision");
  const closed = { urn: gateUrn, gate: { expects: "tone: rude", kept: "tone: friendly", opens: "no" as const } };

  test("what waits behind it: dependents, their dependents and children, not what is unchanged or independent", () => {
    const steps = [
      gate({ tone: { choice: "rude" } }),
      step("create", "direct", { dependencies: [urnOf("gate", "decision")] }),
      step("create", "indirect", { dependencies: [urnOf("direct")] }),
      step("create", "child", { parent: urnOf("direct") }),
      step("same", "unchanged", { dependencies: [urnOf("gate", "decision")] }),
      step("create", "independent"),
    ];
    const reviewed = review(steps, {}, closed);
    const waiting = reviewed.changes.find(({ name }) => name === "gate")?.waiting;
    expect(waiting).toEqual(["direct", "indirect", "child"].map((name) => urnOf(name)));
    expect(alarms(reviewed)).toEqual([
      expect.stringMatching(
        /^gate: the update will stop here: expects tone: rude, and the kept .* friendly\. Waiting behind it: direct, indirect, child\.$/,
      ),
    ]);
    expect(exitCodeOf(reviewed)).toBe(1);
  });

  test("a gate that was closed, and whose answers now meet the expectation, is judged again", () => {
    const opened = gate({ tone: { choice: "friendly" } });
    const wasClosed = { ...opened, oldState: opened.oldState && { ...opened.oldState, initErrors: ["closed"] } };
    const sameAsBefore = { ...wasClosed, oldState: { ...wasClosed.oldState, inputs: opened.newState?.inputs } } as Step;
    expect(review([sameAsBefore]).changes).toMatchObject([
      { action: "update", fields: [], why: "the kept answers are compared with expect again; free" },
    ]);
    expect(review([wasClosed]).changes).toMatchObject([{ why: "expect changed; free" }]);
  });

  test("a closed gate that --target leaves out is named, with what would not wait for it", () => {
    const shown = gate({ tone: { choice: "rude" } });
    const untouched = (expect: object) => ({
      ...shown,
      op: "same",
      oldState: shown.oldState && { ...shown.oldState, inputs: { questions, expect } },
    });
    const behind = step("create", "behind", { dependencies: [urnOf("gate", "decision")] });
    expect(review([untouched({ tone: { choice: "rude" } }), behind]).notes).toEqual([
      expect.stringMatching(
        /^the gate gate is closed \(tone: expected rude; .*--exclude\): behind would not wait for the gate$/,
      ),
    ]);
    expect(passedGates(preview(untouched({ tone: { choice: "friendly" } }), behind))).toEqual([]);
    expect(passedGates(preview(untouched({ tone: { choice: "rude" } })))).toEqual([]);
    // A refresh drops the failures in the state, so they say nothing of secret answers.
    const secret = untouched("[secret]" as unknown as object);
    expect(passedGates(preview(secret, behind)).join()).toMatch(
      /may be closed \(the compared values are secret\).*: behind/,
    );
    const control = review([untouched({ tone: { choice: "\u001b[31m" } }), behind]).notes.join();
    expect(control).toContain("expected \\u{1b}[31m");
  });
});

describe("changes that a preview may show only because of a free update", () => {
  const urns = (...names: string[]) => names.map((name) => urnOf(name, "decision"));
  const decision = (op: string, name: string, parts: object) => step(op, name, { kind: "decision", ...parts });
  const gate = decision("update", "gate", { olds: { expect: {} }, news: { expect: { q: {} } } });
  const behind = (name: string, from: string[], more: object = {}, old: unknown = "text") =>
    decision("replace", name, {
      olds: { state: old },
      news: { state: unknownValue },
      propertyDependencies: { state: from },
      ...more,
    });
  const cover = (news: object, images: unknown = [{ sha256: "ab", file: "covers/a.png" }], taskStatus = "SUCCEEDED") =>
    step("update", "cover", {
      kind: "image",
      olds: { saveTo: "covers" },
      news,
      outputs: { taskStatus, images, saveTo: "covers" },
    });
  const moved = { saveTo: "pictures" };
  const ofCover = (old: unknown) => behind("of", [urnOf("cover", "image")], {}, old);
  const native = ({ urn, ...rest }: Step) => ({
    ...rest,
    urn: urn.replace("pulumi-nodejs:dynamic/cloudvoice", "cloudvoice:index"),
  });

  test.each<[string, Step[], string[]]>([
    [
      "what takes its output, and what takes that",
      [gate, behind("a", urns("gate")), behind("b", urns("a"))],
      ["a", "b"],
    ],
    ["what the program may make in apply", [gate, step("delete", "inner")], ["inner"]],
    ["nothing, if there is no such update", [behind("a", urns("gate")), step("delete", "inner")], []],
    ["nothing, if the classes are native", [native(gate), step("delete", "inner")], []],
    [
      "nothing that another replacement changes too",
      [gate, decision("replace", "x", {}), behind("a", urns("gate", "x"))],
      [],
    ],
    [
      "nothing whose own input changes too",
      [
        gate,
        behind("a", urns("gate"), {
          olds: { state: "a", triggers: [1] },
          news: { state: unknownValue, triggers: [2] },
        }),
      ],
      [],
    ],
    ["nothing that is new", [gate, decision("create", "a", { news: { state: unknownValue } })], []],
    ["what takes the bytes of a moved picture", [cover(moved), ofCover("ab")], ["of"]],
    ["not what takes its address", [cover(moved), ofCover({ file: "covers/a.png" })], []],
    ["not what takes something secret of it", [cover(moved), ofCover("[secret]")], []],
    ["what takes anything of one that stays", [cover({ saveTo: "covers" }), ofCover({ file: "covers/a.png" })], ["of"]],
    ["nothing of a picture whose task runs", [cover(moved, [], "PENDING"), ofCover("ab")], []],
    ["nothing of a picture that is yet to come", [cover(moved, [{ url: "u" }]), ofCover("ab")], []],
    ["nothing of secret pictures", [cover(moved, "[secret]"), ofCover("ab")], []],
  ])("marks %s", (_, steps, marked) => {
    const { changes, charge } = review(steps, { limits: { decisions: 0 }, decisionPricePerMillionTokens: 1000 });
    const unsure = changes.filter((change) => change.unsure);
    expect(unsure.map(({ name }) => name).sort()).toEqual(marked);
    for (const { why } of unsure) expect(why).toMatch(/may show only because \w+ is updated for free and its outputs/);
    const isPaid = ({ op, urn }: Step) => /create|replace/.test(op) && !marked.includes(urn.split("::").at(-1) ?? "");
    expect(charge.decisions).toBe(steps.filter(isPaid).length);
    expect(unsure.every((change) => change.charge === 0)).toBe(true);
  });

  test("names three updates, and counts the others", () => {
    const gates = [1, 2, 3, 4, 5].map((number) => decision("update", `gate${number}`, {}));
    const [change] = review([...gates, step("delete", "inner")]).changes.filter(({ unsure }) => unsure);
    expect(change?.why).toMatch(
      "may show only because gate1 and gate2 and gate3 and 2 others are updated for free and their outputs are unknown",
    );
  });
});
