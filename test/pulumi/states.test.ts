import { type StackState, States } from "../../provider/src/pulumi/provider/states";

const holder = (stack: string, voice: string) => ({ stack, urn: `urn:pulumi:${stack}::p::t::v`, voice, isOld: false });
const state = (stack: string, voice: string): StackState => ({
  stack,
  holders: [holder(stack, voice)],
  pendingCreates: [],
  ids: new Set([voice]),
});

/** Three stacks, and the order in which their states are read. */
function setUp() {
  const read: string[] = [];
  const states = new States({
    stack(name) {
      read.push(name);
      return Promise.resolve(state(name, `voice of ${name}`));
    },
    stacks: () => Promise.resolve(["org/p/dev", "org/p/prod", "staging"]),
    allStacks: () => Promise.resolve(["org/p/dev", "org/p/prod", "staging", "org/other/dev"]),
  });
  return { states, read };
}

test("the states of all stacks are read once, whoever asks", async () => {
  const { states, read } = setUp();
  states.learnStack({ urn: "urn:pulumi:dev::p::t::v" });
  const [one, two] = await Promise.all([states.holders(), states.holders(), states.own()]);
  expect(one).toBe(two);
  expect(one.map(({ voice }) => voice).sort()).toEqual(["voice of dev", "voice of org/p/prod", "voice of staging"]);
  expect(read.sort()).toEqual(["dev", "org/p/prod", "staging"]);
});

test("a destroy, which does not know its stack, reads all", async () => {
  const { states } = setUp();
  expect(await states.holders()).toHaveLength(3);
  await expect(states.own()).rejects.toThrow("not known");
});

test("the states of other projects are read only when all are asked for", async () => {
  const { states, read } = setUp();
  states.learnStack({ urn: "urn:pulumi:dev::p::t::v" });
  await states.holders();
  expect(read).not.toContain("org/other/dev");
  expect((await states.allHolders()).map(({ stack }) => stack)).toContain("org/other/dev");
  expect(read.sort()).toEqual(["dev", "org/other/dev", "org/p/prod", "staging"]);
});
