import { addressIn } from "../../provider/src/rules/account-fingerprint";
import type { Emulator } from "../../provider/emulator";
import { type Http, undiciHttp } from "../../provider/src/service/http";
import { emulate } from "../support/emulate";
import { questionsIn } from "../support/operation";
import { SimulatedStack, type Voice } from "../support/simulated-stack";

/** One line of the stack's configuration decides where the key goes, and a stranger's change may have that line. */

const [ours, theirs] = ["https://ours.example", "https://theirs.example"];
const program: Voice[] = [{ name: "v" }, { name: "i", kind: "image" }, { name: "d", kind: "decision" }];
let emulator: Emulator;
let stack: SimulatedStack;
/** The hosts that got a call with the key. */
let asked: Set<string>;
const sent = undiciHttp({ requestTimeoutMs: 10_000, maxConcurrency: 16 });
afterAll(() => sent.close());

beforeEach(async () => {
  emulator = await emulate();
  stack = new SimulatedStack(emulator, { baseUrl: ours });
  asked = new Set();
  stack.http = http();
  await stack.ok(stack.up(program));
  asked.clear();
});

/** Whatever address is asked, it is the emulator that answers. */
function http(): Http {
  return {
    close: () => Promise.resolve(),
    send: async (request) => {
      const { origin } = new URL(request.url);
      asked.add(origin);
      const response = await sent.send({ ...request, url: request.url.replace(origin, emulator.url) });
      return { ...response, body: response.body.replaceAll(emulator.url, origin) };
    },
    // Without a key.
    open: ({ url, ...request }, signal) =>
      sent.open({ ...request, url: url.replace(new URL(url).origin, emulator.url), serviceUrl: emulator.url }, signal),
  };
}

const origins = () => stack.state.entries.map(({ outputs }) => addressIn(outputs.account as string | undefined));
const changed = program.map((voice) => ({ ...voice, content: 1 }));

test("each resource keeps the whole address that it was made with, which stays through updates and refreshes", async () => {
  await stack.ok(stack.up(changed));
  await stack.ok(stack.refresh());
  expect(origins()).toEqual([ours, ours, ours]);
  expect((await stack.ok(stack.preview(changed))).log).not.toContain("address");
});

test("another address gets nothing before a person has said yes, and one id counts in every operation", async () => {
  stack.settings = { baseUrl: theirs };
  const added = [...program, { name: "new", content: 5 }];
  const runs = [
    () => stack.refresh(),
    () => stack.up(program, { refresh: true }),
    () => stack.preview(changed),
    () => stack.up(changed),
    () => stack.up(added),
    () => stack.destroy(),
  ];
  const ids = new Set<string>();
  for (const run of runs) {
    const before = stack.held();
    const { ok, error } = await run();
    expect([ok, [...asked]]).toEqual([false, []]);
    expect(error).toMatch(/state records the address https:\/\/ours\.example.*is https:\/\/theirs\.example now/);
    questionsIn(error).forEach((id) => ids.add(id));
    expect(stack.held().filter((id) => !before.includes(id))).toEqual([]);
    expect(emulator.voices()).toHaveLength(1);
  }
  expect([...ids]).toEqual([expect.stringMatching(/^address-[0-9a-f]{16}$/)]);
});

test("yes counts it as the same account at a new address: a refresh writes it into the state, and then nobody is asked", async () => {
  stack.settings = { baseUrl: theirs };
  stack.accepted = questionsIn((await stack.refresh()).error);
  await stack.ok(stack.refresh());
  expect([origins(), [...asked]]).toEqual([[theirs, theirs, theirs], [theirs]]);
  stack.accepted = new Set();
  await stack.ok(stack.up(changed));
  expect(emulator.voices()).toHaveLength(1);
});

test("an edited state without an account gets that of its voices at the next refresh", async () => {
  for (const { outputs } of stack.state.entries) delete outputs.account;
  await stack.ok(stack.refresh());
  expect(origins()).toEqual([ours, undefined, undefined]);
  await stack.ok(stack.up(program));
});

describe("in a pipeline", () => {
  const { CI } = process.env;
  beforeEach(() => (process.env.CI = "true"));
  afterEach(() => {
    if (CI === undefined) delete process.env.CI;
    else process.env.CI = CI;
  });
  const fromFile = (address: string) => {
    stack.settings = { baseUrl: address };
    stack.sources = { baseUrl: "cloudvoice:baseUrl" };
  };

  test("an address of the configuration is used if the state of the stack has it, also by destroy", async () => {
    fromFile(ours);
    await stack.ok(stack.up(changed));
    await stack.ok(stack.refresh());
    await stack.ok(stack.destroy());
    expect(emulator.voices()).toEqual([]);
  });

  test("a new stack has to have it from the environment", async () => {
    fromFile(ours);
    await stack.ok(stack.destroy());
    asked.clear();
    const calls = emulator.ledger().length;
    for (const run of [stack.preview(program), stack.up(program)]) {
      const { ok, error } = await run;
      expect([ok, error]).toEqual([false, expect.stringMatching(/set CLOUDVOICE_BASE_URL in the pipeline/)]);
    }
    expect([[...asked], emulator.ledger().length]).toEqual([[], calls]);
    stack.sources = {};
    await stack.ok(stack.up(program));
  });
});
