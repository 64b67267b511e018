import { emulate } from "../support/emulate";
import { inFrontOf } from "../support/in-front";
import { kept } from "../support/kept";
import { recordings } from "../support/files";
import { newOperation } from "../support/operation";
import { inProgramFolder } from "../support/program-folder";
import { emptyStates } from "../support/states";

/**
 * A hook `onError` has the engine repeat what failed, in the same provider process and with the same inputs: nothing is
 * paid for again. test/pulumi/image-tasks.test.ts has the image.
 */

inProgramFolder();

test("the repeated create of a voice finds the voice of the attempt before", async () => {
  const emulator = await emulate({ faults: [{ kind: "reset-after", on: ["create"], times: 1 }] });
  let hides = true;
  const late = await inFrontOf(emulator, ({ body, answer }) =>
    hides && body.includes('"list"')
      ? { answer: answer.replace(/"voice_list":\[.*?\]/, '"voice_list":[]') }
      : undefined,
  );
  const { voice, lines } = newOperation(
    late,
    { settleSeconds: "0.05", requestTimeoutSeconds: "1" },
    { states: emptyStates("dev") },
  );
  const { inputs } = await voice.check({}, { targetModel: "svc3-tts-vc-2026-01-22", audio: recordings.wav }, new Set());
  await expect(voice.create(inputs)).rejects.toThrow(/may have been billed/);
  hides = false;
  expect((await voice.create(inputs)).id).toBe(emulator.voices()[0]?.voice);
  expect(lines.join("\n")).toContain("an earlier attempt was interrupted or got no usable response");
  expect(emulator.summary().voicesBilled).toBe(1);
});

test("the repeated create of a closed gate uses the answers of the attempt before", async () => {
  const emulator = await emulate();
  const { decision, lines } = newOperation(emulator);
  const questions = { q: { type: "noul", instructions: "?" } };
  const news = { state: "s", questions, expect: { q: { min: 2 } } };
  const { inputs } = await decision.check({}, news, new Set());
  const { id } = await kept(decision.create(inputs));
  const again = await kept(decision.create(inputs));
  expect([again.id, again.message]).toEqual([id, expect.stringContaining("the answers do not meet the expectations")]);
  expect(lines.join("\n")).toContain("reusing the answers of an interrupted attempt");
  expect(emulator.summary().calls.decide).toBe(1);
});
