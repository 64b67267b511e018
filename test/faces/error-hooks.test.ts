import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatorOptions } from "../../provider/emulator";
import { emulate } from "../support/emulate";
import { outputOf, Stack } from "../support/stack";

/**
 * Hooks `onError`, which ask the engine to repeat what failed: in the same provider process, with the same inputs, up to
 * 100 times. The host of Node.js programs that `tools/engine` builds does not know them, so an inline program has them.
 */

const automation = `
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const program = async () => void require("./index.js");
const project = { stackName: "dev", projectName: "program", program };
LocalWorkspace.selectStack(project, { workDir: __dirname })
  .then((stack) => stack.up({ onOutput: (text) => process.stdout.write(text) }))
  .catch(() => { process.exitCode = 1; });`;

const voice = (fields = "") => `new cv.CloudVoice("v", { targetModel: model, audio: "a.wav", ${fields} }, options);`;
const image = `new cv.GeneratedImage("i", { model: "svc-image", prompt: "A" }, options);`;
const gate = (min: number) => `
  new cv.Decision("d", { state: "s", questions: { q: cv.question.noul("?") }, expect: { q: { min: ${min} } } }, options);`;

async function start(options?: EmulatorOptions) {
  const emulator = await emulate(options);
  const stack = await Stack.create(emulator, {
    CLOUDVOICE_MAX_RETRIES: "0",
    CLOUDVOICE_SETTLE_SECONDS: "0.5",
    CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "30",
    CLOUDVOICE_IMAGE_POLL_SECONDS: "0.01",
  });
  writeFileSync(join(stack.folder, "automation.js"), automation);
  return {
    emulator,
    stack,
    /** What is paid for. */
    paid: () => {
      const { calls, voicesBilled, tasks } = emulator.summary();
      return { voicesBilled, tasks, decisions: calls.decide ?? 0 };
    },
    /** An update of a program whose hook asks for as many repetitions of each create. */
    upRepeating: (times: number, body: string) => {
      stack.program(`
        const again = new pulumi.ErrorHook("again", async ({ name, failedOperation, errors }) => {
          console.log("hook of", name, failedOperation, errors.length);
          await new Promise((resolve) => setTimeout(resolve, 10));
          return errors.length <= ${times};
        });
        const options = { hooks: { onError: [again] } };
        ${body}`);
      const { folder: cwd, env } = stack;
      const child = spawn(process.execPath, ["automation.js"], { cwd, env, detached: true });
      const output = outputOf(child);
      return { child, output, done: new Promise<string>((resolve) => child.once("close", () => resolve(output()))) };
    },
    program: (body: string) => stack.program(`const options = {}; ${body}`),
  };
}

test("a create that a hook repeats finds what the attempt before paid for: a voice, a task, answers", async () => {
  const { emulator, stack, paid, upRepeating, program } = await start({ listDelayMs: 4000 });
  emulator.setFaults([
    { kind: "reset-after", on: ["create"], times: 1 },
    { kind: "500", on: ["poll"], times: 2 },
  ]);
  const output = await upRepeating(2, voice() + image + gate(2)).done;
  expect(output).toContain("an earlier attempt was interrupted or got no usable response while it created voices");
  expect(output).toMatch(/i: goes on with the task/);
  expect(output).toContain("d: reusing the answers of an interrupted attempt");
  expect(output).toMatch(/error: .*the answers do not meet the expectations/s);
  const once = { voicesBilled: 1, tasks: 1, decisions: 1 };
  expect(paid()).toEqual(once);

  await stack.ok(program(voice() + image + gate(0)).up());
  await stack.ok(stack.preview("--expect-no-changes"));
  expect((await stack.resources()).map(({ id }) => id)).toContain(emulator.voices()[0]?.voice);
  expect(paid()).toEqual(once);
});

test("a hook that never gives up pays for one task, and the state can be mended", async () => {
  const { emulator, stack, paid, upRepeating, program } = await start();
  emulator.setFaults([{ kind: "500", on: ["poll"] }]);
  const output = await upRepeating(Infinity, image).done;
  expect(output).toContain("maximum number of error hook retries reached");
  emulator.setFaults([]);
  // The engine (3.259) has saved it without an id, and fails at each update until it is gone.
  const [saved] = await stack.resources();
  expect(saved?.id).toBeUndefined();
  await stack.ok(stack.pulumi("state", "delete", saved?.urn ?? "", "--yes"));
  await stack.ok(program(image).up());
  expect(paid().tasks).toBe(1);
});
