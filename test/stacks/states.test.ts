import { partsOf, stacksLike, UnknownStackError } from "../../provider/src/stacks/names";
import { exportedStack, type StackState, stateOf } from "../../provider/src/stacks/state";
import { type StateReader, States } from "../../provider/src/stacks/states";

/** Which states an operation or a command reads, and which stack it takes for its own. */

const state = (stack: string): StackState => ({
  ...stateOf(stack, {}),
  holders: [{ stack, urn: "u", savedUrn: "u", voice: `voice of ${stack}`, isOld: false }],
  pendingCreates: [{ urn: "u", preferredName: `name in ${stack}` }],
  ids: new Set([`voice of ${stack}`]),
});

const backend = ["organization/p/dev", "organization/p/prod", "organization/other/dev"];
const hosted = ["acme/app/dev", "beta/app/dev", "acme/app/prod", "beta/other/dev"];

/** A backend with these stacks, and what is asked of it, in order. */
function setUp(names: string[], named?: string, organization?: string) {
  const asked: string[] = [];
  const listed = (project?: string) =>
    names.filter((name) => project === undefined || [project, undefined].includes(partsOf(name).project));
  const reader: StateReader = {
    organization,
    stack(name) {
      asked.push(name);
      return names.includes(name) ? Promise.resolve(state(name)) : Promise.reject(new Error(`no stack named ${name}`));
    },
    stacks: (project) => (asked.push("ls"), Promise.resolve(listed(project))),
    allStacks: () => (asked.push("ls --all"), Promise.resolve(names)),
    backend: () => Promise.resolve(undefined),
  };
  return { states: new States(reader, named), asked };
}
const stateWith = (deployment: object) => stateOf("organization/p/dev", exportedStack.parse({ deployment }));
const urn = (project: string, stack = "dev") => ({ urn: `urn:pulumi:${stack}::${project}::t::v` });
const voices = (holders: readonly { voice: string }[]) => holders.map(({ voice }) => voice).sort();
const voicesIn = (states: readonly StackState[]) => voices(states.flatMap(({ holders }) => holders));

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

test.each<[what: string, saved: object | Error, mayHave: boolean]>([
  ["an empty state", { holders: [] }, false],
  ["voices of this key", { holders: [{ account: "a" }, {}] }, false],
  ["a voice of another key", { holders: [{ account: "a" }, { account: "b" }] }, true],
  ["an unfinished operation", { holders: [], hasPending: true }, true],
  ["a state that can't be read", new Error("no state"), true],
])("%s shows whether a run with another key may have left something: %p", async (_, saved, mayHave) => {
  const read = () => (saved instanceof Error ? Promise.reject(saved) : Promise.resolve(saved as StackState));
  const none = () => Promise.resolve([]);
  const reader: StateReader = { stack: read, stacks: none, allStacks: none, backend: () => Promise.resolve(undefined) };
  const states = new States(reader, "organization/p/dev");
  expect(await states.mayHaveOtherKey("a")).toBe(mayHave);
});

test("any operation that the engine did not end is pending", () => {
  const resource = { urn: "urn:pulumi:dev::p::aws:s3:Bucket::b", type: "aws:s3:Bucket" };
  const of = (pending: object[]) => stateWith({ pending_operations: pending }).hasPending;
  expect([of([]), of([{ type: "deleting", resource }])]).toEqual([false, true]);
});

test("each state is read once, whoever asks, and the stacks are listed once", async () => {
  const { states, asked } = setUp(backend);
  states.learnStack(urn("p"));
  const [one, two] = await Promise.all([states.project(), states.project(), states.own(), states.hasSaved("x")]);
  expect(one).toBe(two);
  expect(voicesIn(one)).toEqual(["voice of organization/p/dev", "voice of organization/p/prod"]);
  expect(asked.sort()).toEqual(["ls", "organization/p/dev", "organization/p/prod"]);
});

test("what a run noted is another stack's if that has saved it: this stack had another name, or is another organization's", async () => {
  const { states, asked } = setUp(hosted);
  states.learnStack({ ...urn("app"), organization: "beta" });
  expect(await states.hasSaved("voice of beta/app/dev")).toBe(true);
  expect(asked).toEqual(["beta/app/dev"]);
  expect(await states.hasSaved("voice of acme/app/dev")).toBe(true);
  expect(await states.hasSaved("voice of nobody")).toBe(false);
});

test("in a backend with one organization, the own state is read while the stacks are listed, and nothing is asked twice", async () => {
  const { states, asked } = setUp(backend, undefined, "organization");
  states.learnStack(urn("p"));
  expect(await states.project()).toHaveLength(2);
  expect(asked).toEqual(["organization/p/dev", "ls", "organization/p/prod"]);
  expect((await states.own()).stack).toBe("organization/p/dev");
  expect(asked).toHaveLength(3);
});

test("a plugin that learns its organization from a resource reads its own state at once", async () => {
  const { states, asked } = setUp(hosted);
  states.learnStack(urn("app"));
  states.learnStack({ ...urn("app"), organization: "beta" });
  expect((await states.own()).stack).toBe("beta/app/dev");
  expect(asked).toEqual(["beta/app/dev"]);
});

test("the states of other projects are read only when all are asked for, and no state is read twice", async () => {
  const { states, asked } = setUp(backend);
  states.learnStack(urn("p"));
  await states.project();
  expect(asked).not.toContain("organization/other/dev");
  expect(voicesIn(await states.everywhere())).toContain("voice of organization/other/dev");
  expect(asked.sort()).toEqual(["ls", "ls --all", ...backend].sort());
});

test("a destroy, which does not know its stack, reads all of the project", async () => {
  const { states } = setUp(backend);
  expect(await states.project()).toHaveLength(3);
  await expect(states.own()).rejects.toThrow("the stack of this operation is not known");
});

describe("with acme/app/dev and beta/app/dev in one backend", () => {
  test("a plugin, which is told no organization, does not know its own state, and says so", async () => {
    const { states } = setUp(hosted);
    states.learnStack(urn("app"));
    await expect(states.own()).rejects.toThrow(UnknownStackError);
    await expect(states.own()).rejects.toThrow("acme/app/dev and beta/app/dev have the same project and stack");
  });

  test("a plugin waits for the interrupted creates of both", async () => {
    const { states } = setUp(hosted);
    states.learnStack(urn("app"));
    expect((await states.interruptedCreates()).map(({ preferredName }) => preferredName)).toEqual([
      "name in acme/app/dev",
      "name in beta/app/dev",
    ]);
  });

  test("a command on the one counts the voices of the other as another stack's", async () => {
    const { states } = setUp(hosted, "beta/app/dev");
    expect((await states.own()).stack).toBe("beta/app/dev");
    expect(voicesIn(await states.project())).toContain("voice of acme/app/dev");
  });
});

test("a list without the operation's own stack is no evidence of who holds what", async () => {
  const { states } = setUp(["acme/app/dev"]);
  states.learnStack({ ...urn("app"), organization: "beta" });
  await expect(states.project()).rejects.toThrow(new UnknownStackError("the backend lists no stack beta/app/dev"));
  await expect(states.own()).rejects.toThrow(UnknownStackError);
});

test("checks try once to read a state that can't be read", async () => {
  const { states, asked } = setUp([]);
  states.learnStack({ ...urn("app"), organization: "beta" });
  for (let check = 0; check < 3; check++) {
    expect(await states.interruptedCreates()).toEqual([]);
    await expect(states.ownAtStart()).rejects.toThrow(UnknownStackError);
  }
  expect(asked).toEqual(["beta/app/dev", "ls", "ls", "beta/app/dev", "ls"]);
});

test("in a layout without projects, the name of a stack is all, and its stacks are found by it", async () => {
  const { states } = setUp(["dev", "prod"]);
  states.learnStack({ ...urn("p"), organization: "organization" });
  expect((await states.own()).stack).toBe("dev");
  expect(await states.project()).toHaveLength(2);
});

test.each<[what: string, organization: string | undefined, project: string, expected: string[]]>([
  ["by project and stack", undefined, "other", ["beta/other/dev"]],
  ["in its organization only", "acme", "app", ["acme/app/dev"]],
  ["in no other organization", "gamma", "app", []],
  ["in no other project", "acme", "other", []],
])("a stack is found %s", (_, organization, project, expected) => {
  expect(stacksLike(hosted, { organization, project, stack: "dev" })).toEqual(expected);
});
