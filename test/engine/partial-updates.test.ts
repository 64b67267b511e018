import { emulate } from "../support/emulate";
import { held, listed } from "../support/held";
import { Stack, typeOf } from "../support/stack";

/** Updates of a part of the stack, and options of the engine with which calls come in another order. */

const urn = (name: string) => `urn:pulumi:dev::program::${typeOf("CloudVoice")}::${name}`;

async function start() {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_SETTLE_SECONDS: "1" });
  const expectOnly = async (billed: number) =>
    expect([await held(stack), emulator.summary().voicesBilled]).toEqual([listed(emulator), billed]);
  return { emulator, stack, expectOnly };
}

test("--target, --exclude and a failed neighbour: each change is paid for once, and each old voice goes once", async () => {
  const { emulator, stack, expectOnly } = await start();
  const declare = (content: string, fields = "") =>
    stack.program(`
      for (const name of ["one", "two", "three"])
        new cv.CloudVoice(name, { targetModel: model, audio: "https://audio.example/${content}" });
      new cv.CloudVoice("bad", { targetModel: model, audio: "https://audio.example/bad", ${fields} });`);
  await stack.ok(declare("A").up());
  declare("B", `text: "does not match"`);
  await stack.ok(stack.up("--target", urn("one")));
  await expectOnly(5);
  await stack.ok(stack.up("--exclude", urn("bad"), "--exclude", urn("three")));
  await expectOnly(6);
  const failed = await stack.up("--continue-on-error");
  expect([failed.code === 0, failed.output]).toEqual([false, expect.stringContaining("Audio.PreprocessError")]);
  await stack.ok(declare("B").up());
  await expectOnly(7);
  // The program runs here, and yet declares nothing that a refresh or a destroy keeps.
  await stack.ok(stack.refresh("--run-program", "--expect-no-changes"));
  await stack.ok(stack.destroy("--run-program"));
  expect([listed(emulator), await held(stack)]).toEqual([[], []]);
});

test("a replacement that deletes first takes what depends on it along, and leaves what only waits for it", async () => {
  const { stack, expectOnly } = await start();
  const declare = (content: string) =>
    stack.program(`
      const voice = (name, fields, opts) => new cv.CloudVoice(name, { targetModel: model, audio: "a.wav", ...fields }, opts);
      const first = voice("first", { triggers: ["${content}"] }, { deleteBeforeReplace: true });
      voice("dependent", { text: first.voice });
      voice("waiting", {}, { dependsOn: [first] });`);
  await stack.ok(declare("A").up());
  const before = await held(stack);
  await stack.ok(declare("B").up());
  await expectOnly(5);
  expect((await held(stack)).filter((id) => before.includes(id))).toEqual([expect.stringContaining("waiting_")]);
});
