import { describeDialect, drawDialect, nestedDialect } from "../../provider/emulator/forms";
import type { ImageOutput } from "../../provider/src/rules/image";
import { visible } from "../../provider/src/rules/visible";
import { idsOf } from "../simulation/provider";
import { nameOf } from "../simulation/state";
import { emulate } from "../support/emulate";
import { type Ended, SimulatedStack, type Voice } from "../support/simulated-stack";

/**
 * The whole life of a stack in dialects of the service, drawn from seeds: the default form, and as many others as
 * CLOUDVOICE_DIALECTS says, from CLOUDVOICE_FIRST_DIALECT on. A test that fails prints its dialect.
 */
const { CLOUDVOICE_DIALECTS: count = "5", CLOUDVOICE_FIRST_DIALECT: first = "1" } = process.env;
const seeds = Array.from({ length: Number(count) }, (_, index) => Number(first) + index);

const voiceQuota = 7;
const voice = (name: string, inputs: Voice["inputs"] = {}): Voice => ({ name, inputs });
const image = (name: string): Voice => ({ name, kind: "image", inputs: { prompt: name, size: "8*8" } });

async function live(seed: number | undefined, hostile: Hostile): Promise<void> {
  const emulator = await emulate({ voiceQuota, hostile, ...(seed !== undefined && { dialect: seed }) });
  // The account of every second seed is empty.
  const strangers = emulator.seedVoices("default", (seed ?? 0) % 2 === 0 ? 3 : 0);
  const forms = seed === undefined ? undefined : drawDialect(seed).forms;
  const settings = { voiceQuota: String(voiceQuota), quotaCheck: "off" };
  const stack = new SimulatedStack(emulator, { ...settings, ...(forms && { forms: JSON.stringify(forms) }) });
  const entry = (name: string) => stack.state.entries.find(({ urn, isOld }) => nameOf(urn) === name && !isOld);
  const voiceOf = (name: string) => entry(name)?.id ?? "";
  // The state and the service's own names: the package makes control characters visible where they enter.
  const existing = () => emulator.voices().map((row) => row.voice);
  /** What the account has besides the voices of strangers is what the state has. */
  const stateIsTrue = () => {
    const held = stack.state.entries.filter(({ kind }) => kind === "voice").map(({ id }) => id);
    expect([...held].sort()).toEqual(
      existing()
        .filter((each) => !strangers.includes(each))
        .map(visible)
        .sort(),
    );
  };
  const vanish = (name: string) =>
    emulator.vanish("default", existing().find((each) => visible(each) === voiceOf(name)) ?? "");
  const bills = (voicesBilled: number, tasks: number) =>
    expect(emulator.summary()).toMatchObject({ voicesBilled, tasks });
  /** Where a dialect's list does not say for certain that a voice is gone, a person is asked, and says yes. */
  const answered = async (operation: () => Promise<Ended>) => {
    const ended = await operation();
    if (ended.ok) return;
    expect(ended.error).toMatch(/CLOUDVOICE_ACCEPT=missing-/);
    stack.accepted = idsOf(["missing"]);
    await stack.ok(operation());
    stack.accepted = new Set();
  };
  const program = [voice("a"), voice("b"), voice("c"), image("cover")];

  step = "the first update creates three voices and an image";
  await stack.ok(stack.up(program));
  bills(3, 1);
  stateIsTrue();
  const [picture] = (entry("cover")?.outputs.images ?? []) as ImageOutput[];
  expect(picture?.sha256).toMatch(/^[0-9a-f]{64}$/);

  step = "another update and a refresh change nothing";
  await stack.ok(stack.up(program));
  await stack.ok(stack.refresh());
  expect(stack.state.entries).toHaveLength(4);
  bills(3, 1);

  step = "a voice is lost: a refresh finds it, and the next update creates it again";
  vanish("a");
  await answered(stack.refresh);
  stateIsTrue();
  await stack.ok(stack.up(program));
  bills(4, 1);
  stateIsTrue();

  step = "a failed image is reported with its reason, and the rest goes on";
  const failed = await stack.up([...program, image("[fail]")]);
  expect(failed.ok).toBe(false);
  expect(failed.error).toMatch(/ended as failed.*DataInspectionFailed/i);
  bills(4, 2);
  await stack.ok(stack.up(program));

  step = "a refused create names the service's reason, and is not billed";
  const refused = await stack.up([...program, voice("d", { text: "it does not match" })]);
  expect(refused.ok).toBe(false);
  expect(refused.error).toContain("Audio.PreprocessError");
  bills(4, 2);
  stateIsTrue();

  step = "a full account is reported as one, and nothing is billed";
  strangers.push(...emulator.seedVoices("default", voiceQuota - existing().length));
  const full = await stack.up([...program, voice("e")]);
  expect(full.ok).toBe(false);
  expect(full.error).toMatch(/quota|full/i);
  bills(4, 2);
  stateIsTrue();

  step = "a destroy succeeds with a voice gone and a page as the answer to a delete, and leaves the voices of others";
  vanish("b");
  emulator.setFaults([{ kind: "html-200", on: ["delete"], times: 1, afterWork: true }]);
  await answered(stack.destroy);
  expect(stack.state.entries).toEqual([]);
  expect(existing().sort()).toEqual([...strangers].sort());
  bills(4, 2);

  step = "the only voice of an account is lost: a refresh finds that, or asks";
  for (const each of existing()) emulator.vanish("default", each);
  await stack.ok(stack.up([voice("a")]));
  vanish("a");
  await answered(stack.refresh);
  expect(stack.state.entries).toEqual([]);
  bills(5, 2);
}
let step = "";

type Hostile = boolean | "long";

/** Every third service is hostile, and every sixth says a million characters where a few would do. */
const hostilityOf = (seed: number): Hostile => (seed % 6 === 0 ? "long" : seed % 3 === 0);

test.each<[string, number | undefined, Hostile]>([
  ["the default form", undefined, false],
  ["the default form, from a hostile service", undefined, true],
  ...seeds.map((seed): [string, number, Hostile] => [String(seed), seed, hostilityOf(seed)]),
])("the whole life of a stack works in the dialect %s", async (_, seed, hostile) => {
  try {
    await live(seed, hostile);
  } catch (error) {
    const dialect = describeDialect(seed === undefined ? nestedDialect : drawDialect(seed));
    throw new Error([step, error instanceof Error ? error.message : String(error), dialect].join("\n"), {
      cause: error,
    });
  }
});
