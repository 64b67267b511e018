import { InputError } from "../../../provider/src/errors";
import { isNamed } from "../../../provider/src/rules/resource-types";
import { exportedStack, type StackState, stateOf } from "../../../provider/src/cli/stacks/state";
import { type StateReader, States } from "../../../provider/src/cli/stacks/states";

/** Which states a command reads. A provider reads none. */

const backend = ["organization/p/dev", "organization/p/prod", "organization/other/dev"];

/** A backend with these stacks, and what is asked of it, in order. */
function setUp(names: string[], named?: string) {
  const asked: string[] = [];
  const reader: StateReader = {
    stack: (name) => (asked.push(name), Promise.resolve(stateOf(name, {}))),
    allStacks: () => (asked.push("ls --all"), Promise.resolve(names)),
  };
  return { states: new States(reader, named), asked };
}
const stateWith = (deployment: object) => stateOf("organization/p/dev", exportedStack.parse({ deployment }));
const stacksOf = (states: readonly StackState[]) => states.map(({ stack }) => stack).sort();

test("each state is read once, whoever asks, and the stacks are listed once", async () => {
  const { states, asked } = setUp(backend, "organization/p/dev");
  const [one, two] = await Promise.all([states.everywhere(), states.everywhere(), states.stackState()]);
  expect([one === two, stacksOf(one)]).toEqual([true, [...backend].sort()]);
  expect(asked.sort()).toEqual(["ls --all", ...backend].sort());
});

test("a stack that was just created counts, although the list lacks it", async () => {
  expect(stacksOf(await setUp(backend, "organization/p/new").states.everywhere())).toContain("organization/p/new");
});

test("without a selected stack there is no own state, and an error says what to do", async () => {
  const error = setUp(backend).states.stackState();
  await expect(error).rejects.toThrow(InputError);
  await expect(error).rejects.toThrow("--stack");
});

test("the name of an adopted voice is not taken for a generated one, although its inputs have such a name", () => {
  const inputs = { preferredName: "narra_1234567", nameVersion: 1 };
  const resource = (name: string, outputs: object) => ({
    urn: `urn:pulumi:dev::p::cloudvoice:index:CloudVoice::${name}`,
    type: "cloudvoice:index:CloudVoice",
    custom: true,
    id: name,
    ...{ inputs, outputs },
  });
  const resources = [resource("made", inputs), resource("adopted", { adopted: true, preferredName: "de_speaker" })];
  const { holders } = stateWith({ resources });
  expect(holders.map(({ generatedName }) => generatedName)).toEqual(["narra_1234567", undefined]);
});

test.each([
  ["acme/app/dev", true],
  ["app/dev", true],
  ["dev", true],
  ["acme/app/prod", false],
  ["acme/other/dev", false],
])("%s may be the name of the stack dev of the project app: %s", (name, isIts) => {
  expect(isNamed({ project: "app", stack: "dev" }, name)).toBe(isIts);
});
