import type { Emulator } from "../../provider/emulator";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { emulate } from "../support/emulate";
import { recordings } from "../support/files";
import { newOperation } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";

/** `adopt` takes an existing voice over, free of charge. It never takes one from another resource, or replaces one. */

inProgramFolder();
let emulator: Emulator;
let byHand: string;
beforeEach(async () => {
  emulator = await emulate();
  [byHand = ""] = emulator.seedVoices("default", 1, { preferredName: "by_hand" });
});

const none: ReadonlySet<string> = new Set();
/** What one run of `pulumi` calls. */
const operation = () => newOperation(emulator);
const declared = (changes: Props = {}, name = "v"): Props => ({
  targetModel: "svc3-tts-vc-2026-01-22",
  audio: recordings.wav,
  identity: { urn: `urn:pulumi:dev::p::t::${name}` },
  ...changes,
});
/** Creates a resource in a run of its own. Returns what the state has of it. */
async function create(changes: Props, name?: string) {
  const { voice } = operation();
  const { inputs } = await voice.check({}, declared(changes, name), none);
  const { id, outs } = await voice.create(inputs);
  return { id, inputs, outs: JSON.parse(JSON.stringify(outs)) as Props };
}
test("a change that would replace an adopted voice fails at preview until adopt is removed", async () => {
  const { id, inputs, outs } = await create({ adopt: byHand });
  const { voice } = operation();
  const changed = { audio: recordings.otherMp3 };
  expect((await voice.check(inputs, declared({ ...changed, adopt: byHand }), none)).failures).toEqual([
    { property: "adopt", reason: expect.stringMatching(/audioSha256 changed: .*take adopt out/) as string },
  ]);
  const without = await voice.check(inputs, declared(changed), none);
  expect(without.failures).toEqual([]);
  expect((await voice.diff(id, outs, without.inputs, none)).replaces).toEqual(["audioSha256"]);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 0, charge: 0 });
});

test("setting adopt on an existing resource changes nothing and logs a warning", async () => {
  const { id, inputs, outs } = await create({});
  const { voice, lines } = operation();
  const { inputs: adopting, failures } = await voice.check(inputs, declared({ adopt: byHand }), none);
  expect(failures).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/has no effect: it is read when a resource is created/)]);
  expect(await voice.diff(id, outs, adopting, none)).toEqual({ replaces: [], updates: true });
  expect((await voice.update(id, outs, adopting)).outs).toMatchObject({ voice: id, adopted: false });
  expect(emulator.summary().calls).toMatchObject({ create: 1 });
  expect(emulator.summary().calls.delete).toBeUndefined();
});

test("adopt rejects a voice that is bound to another model, and names it", async () => {
  const [other = ""] = emulator.seedVoices("default", 1, { targetModel: "svc3-tts-vc-realtime-2026-01-15" });
  const { failures } = await operation().voice.check({}, declared({ adopt: other }), none);
  const reason = expect.stringMatching(`^the voice ${other} is bound to svc3-tts-vc-realtime-2026-01-15`) as string;
  expect(failures).toEqual([{ property: "adopt", reason }]);
});

test("a text that preview does not know yet is checked against the adopted voice by the update", async () => {
  const { id, inputs, outs } = await create({ adopt: byHand, text: "Hello" });
  const check = (changes: Props, unknown = none) =>
    operation().voice.check(inputs, declared({ adopt: byHand, ...changes }), unknown);
  const text = new Set(["text"]);
  const preview = await check({}, text);
  expect(preview.failures).toEqual([]);
  expect((await operation().voice.diff(id, outs, preview.inputs, text)).replaces).toEqual(["text"]);
  const same = await check({ text: "Hello" });
  expect(same.failures).toEqual([]);
  expect(await operation().voice.diff(id, outs, same.inputs, none)).toEqual({ replaces: [], updates: false });
  expect((await check({ text: "Good-bye" })).failures).toEqual([
    {
      property: "adopt",
      reason: expect.stringMatching(
        /text changed: that would pay for a new voice, and leave the adopted one/,
      ) as string,
    },
  ]);
});
