import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";

/** Programs as people write them, over the weeks in which they change. Nothing is paid for twice. */

const fast = { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05", CLOUDVOICE_IMAGE_SUBMITS_PER_SECOND: "100" };

test("covers from a JSON file, edited for weeks: only a cover whose prompt changes is paid for", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, fast);
  const titles = Array.from({ length: 40 }, (_, number) => ({
    id: `cover-${number}`,
    prompt: `Chapter ${number}: café\n`,
  }));
  const write = (covers: object[], change = (text: string) => text) =>
    writeFileSync(join(stack.folder, "covers.json"), change(JSON.stringify(covers, null, 2)));
  const program = (more: string) =>
    stack.program(`
      const { readFileSync } = require("node:fs");
      for (const { id, prompt, ...others } of JSON.parse(readFileSync("covers.json", "utf8")))
        new cv.GeneratedImage(id, { model: "svc-image", prompt, size: "64*48", ...${more}, ...others });`);
  const tasks = () => emulator.summary().tasks;

  write(titles);
  await stack.ok(program(`{ saveTo: "covers" }`).up());
  expect([tasks(), readdirSync(join(stack.folder, "covers")).length]).toEqual([40, 40]);

  // Another editor and another machine: CRLF, a decomposed é, no last line, the number that came, another spelling.
  write(titles, (text) => text.replaceAll("\\n", "\\r\\n").normalize("NFD").replaceAll("\n", "\r\n"));
  await stack.ok(program(`{ saveTo: "./covers/", n: 1 }`).up());
  await stack.ok(stack.up("--expect-no-changes"));
  expect(tasks()).toBe(40);

  // A new order, two other prompts, one more cover, and one less.
  const edited = [...titles.slice(1), { id: "cover-new", prompt: "An epilogue" }].reverse();
  for (const cover of edited.slice(3, 5)) cover.prompt += " by night";
  write(edited);
  const { output } = await stack.ok(stack.preview());
  // Lines above the summary have the names of the covers, with their numbers.
  const preview = { code: 0, stdout: "", output: output.slice(output.indexOf("Resources:")) };
  expect([counted(preview, "create"), counted(preview, "replace"), counted(preview, "delete")]).toEqual([1, 2, 1]);
  await stack.ok(stack.up());
  expect(tasks()).toBe(43);

  // The folder moves, and a picture was deleted by hand: both are free while the addresses live.
  rmSync(join(stack.folder, "covers"), { recursive: true });
  await stack.ok(program(`{ saveTo: "pictures" }`).up());
  expect([tasks(), readdirSync(join(stack.folder, "pictures")).length]).toEqual([43, 40]);
});

test("a triage of ten tickets gates a deployment: each is asked once, and one closed gate stops it until it is answered", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, fast);
  const program = (open: string[], options: { max?: number; week?: number } = {}) =>
    stack.program(`
      const questions = {
        blocks: cv.question.noul("Does this ticket block the release?"),
        area: cv.question.choice("Which area?", { speech: "Voices", pictures: "Covers", other: "The rest" }),
      };
      const expect = { blocks: { max: ${options.max ?? 0.5} } };
      const gates = ${JSON.stringify(Array.from({ length: 10 }, (_, number) => `ticket-${number}`))}.map((name) => {
        const state = { name, text: ${JSON.stringify(open)}.includes(name) ? "blocks=yes" : "blocks=no" };
        return new cv.Decision(name, { state, questions, expect, triggers: [${options.week ?? 1}] });
      });
      new cv.CloudVoice("deployed", { targetModel: model, audio: "a.wav" }, { dependsOn: gates });
      exports.areas = gates.map((gate) => gate.answers.area.choice);`);
  const seen = () => [emulator.summary().calls.decide ?? 0, emulator.summary().voicesBilled];

  const closed = await program(["ticket-7"]).up("--continue-on-error");
  expect(closed.output).toMatch(/ticket-7.*blocks: expected at most 0\.5/s);
  await stack.ok(stack.refresh());
  expect((await stack.up()).code).not.toBe(0);
  expect(seen()).toEqual([10, 0]);

  // The ticket is answered: it alone is asked again, and the deployment goes on.
  await stack.ok(program([]).up());
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect(seen()).toEqual([11, 1]);

  // Another threshold is free. A new week asks each ticket again, and keeps what is deployed.
  await stack.ok(program([], { max: 0.4 }).up());
  expect(seen()).toEqual([11, 1]);
  await stack.ok(program([], { max: 0.4, week: 2 }).up());
  expect(seen()).toEqual([21, 1]);
});
