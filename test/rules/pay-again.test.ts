import { askAgainQuestion, doubtfulTask, imageQuestion, ofUnprovenNote } from "../../provider/src/rules/questions";
import { secretText } from "../../provider/src/rules/rights";

const prices = { voicePrice: 0.01, imagePrice: 0.04, decisionPricePerMillionTokens: 1, currency: "USD" };
const asked = { name: "cover", account: "https://a.example", stack: "studio/prod", inputs: {}, prices };
const unpriced = { ...asked, prices: { voicePrice: 0.01, currency: "EUR" } as typeof prices };

test.each([
  ["UNKNOWN", undefined, /^the service reports the image task 0-1 as UNKNOWN\. It forgets tasks after a day/],
  [
    "CANCELED",
    "by the operator. ",
    /^the service reports the image task 0-1 as CANCELED: by the operator\. It forgets/,
  ],
])("a task that is %s, and the service says %j", (status, message, said) => {
  expect(doubtfulTask("0-1", status, message)).toMatch(said);
});

describe("before another image task is paid for in the place of one that may be there", () => {
  const said = doubtfulTask("0-1", "UNKNOWN");

  test("the question names the task, what was said of it, and that it is kept", () => {
    const { uncertain, ...facts } = imageQuestion("0-1", said, asked);
    expect(facts).toMatchObject({ kind: "pay-again", request: "0-1", account: asked.account, stack: asked.stack });
    expect(uncertain).toMatch(
      /^cover: .*task 0-1 as UNKNOWN\. .*The task is kept, and no new task is submitted until you decide\.$/,
    );
  });

  test.each<[string, Parameters<typeof imageQuestion>[2], RegExp]>([
    ["of one image", asked, /^another task is submitted, and paid for \$0\.04$/],
    ["of three images", { ...asked, inputs: { n: 3 } }, /paid for \$0\.12$/],
    ["that is not known", unpriced, /paid at a price that is not known \(cloudvoice:imagePrice\)$/],
  ])("it says the price %s", (_, facts, yes) => {
    expect(imageQuestion("0-1", said, facts).yes).toMatch(yes);
  });

  test("it shows the command that does the same, if the URN is known", () => {
    expect(imageQuestion("0-1", said, { ...asked, urn: "urn:a" }).otherwise).toBe(
      "`pulumi up --replace urn:a` does the same.",
    );
    expect(imageQuestion("0-1", said, asked)).not.toHaveProperty("otherwise");
  });

  test("a submission whose response was not understood has no task to name, and adoptTask is free", () => {
    const { uncertain, request, otherwise } = imageQuestion("unread-1", undefined, { ...asked, urn: "urn:a" });
    expect(uncertain).toMatch(/^cover: its submission was answered with success, .*may have been paid for\.$/);
    expect(uncertain).not.toContain("unread-1");
    expect(request).toBe("unread-1");
    expect(otherwise).toMatch(/--replace urn:a.*set adoptTask to it: that is free\.$/);
  });
});

describe("before a decision is asked again whose answers were not understood", () => {
  const inputs = { state: "s".repeat(300), questions: { q: { type: "noul", instructions: "?" } } };

  test("the question says that it may have been paid for, and the estimated price", () => {
    const question = askAgainQuestion("unread-1", { ...asked, inputs });
    expect(question).toMatchObject({ kind: "pay-again", request: "unread-1", stack: asked.stack });
    expect(question.uncertain).toMatch(/^cover: .*answered with success, and the answers were not understood/);
    expect(question.yes).toMatch(/^the questions are asked again, and paid for about \$0\.0001\d+$/);
  });

  test.each<[string, Parameters<typeof askAgainQuestion>[1]]>([
    ["without a price in the settings", { ...unpriced, inputs }],
    ["with a state that is secret", { ...asked, inputs: { ...inputs, state: secretText } }],
    [
      "with a part of the questions that is secret",
      { ...asked, inputs: { ...inputs, questions: { q: [secretText] } } },
    ],
  ])("%s the price is not known", (_, facts) => {
    expect(askAgainQuestion("unread-1", facts).yes).toMatch(/paid at a price that is not known$/);
  });
});

test("a note that proves nothing asks the same question, about the note", () => {
  const question = imageQuestion("0-1", doubtfulTask("0-1", "UNKNOWN"), { ...asked, urn: "urn:a" });
  const { uncertain, ...rest } = ofUnprovenNote("cover", question);
  expect(uncertain).toMatch(/^cover: the journal's note of this request proves nothing: .*been paid for\.$/);
  expect({ ...rest, uncertain: question.uncertain }).toEqual(question);
});
