import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { counted, Stack } from "../support/stack";

/** A text that was checked out or saved with other bytes is the same text: nothing is paid again. */

test("line ends, the Unicode form, a last line, the number that came and a folder's spelling pay for nothing", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" });
  const text = "Un café au crépuscule.\nA lighthouse behind it";
  const program = (image: string) =>
    stack.program(`
      const text = require("node:fs").readFileSync("prompt.txt", "utf8");
      new cv.GeneratedImage("cover", { model: "svc-image", prompt: text, negativePrompt: text, ${image} });
      new cv.CloudVoice("voice", { targetModel: model, audio: "a.wav", text });
      new cv.Decision("decision", { state: { text }, questions: { q: cv.question.noul(text) } });`);
  const prompt = (written: string) => writeFileSync(join(stack.folder, "prompt.txt"), written);
  prompt(text);
  await stack.ok(program(`saveTo: "covers"`).up());
  const paid = () => emulator.summary();
  const before = paid();
  expect(before).toMatchObject({ voicesBilled: 1, tasks: 1, calls: { decide: 1 } });

  const respelled = await stack.ok(program(`saveTo: "./covers/"`).preview());
  expect([counted(respelled, "update"), counted(respelled, "replace")]).toEqual([0, 0]);

  const rewritten = `${text.replaceAll("\n", "\r\n").normalize("NFD")}\n`;
  prompt(rewritten);
  const { stdout } = await stack.preview("--json", "--show-sames");
  const reviewed = await cloudvoice(stack, ["review", "-", "--json", "--max-cost", "0"], stdout);
  expect(reviewed.code).toBe(2);
  const { changes } = JSON.parse(reviewed.stdout) as Review;
  expect(changes.map(({ action, why }) => `${action}: ${why}`)).toEqual([
    "update: text changed; free",
    "update: prompt, negativePrompt changed; free",
    "update: state, questions changed; free",
  ]);
  await stack.ok(stack.up());
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect((await stack.resources()).find(({ urn }) => urn.endsWith("::cover"))?.outputs?.prompt).toBe(rewritten);

  await stack.ok(program(`saveTo: "covers", n: 1`).up());
  expect(paid()).toMatchObject({ voicesBilled: 1, tasks: 1, calls: { decide: 1 } });
  expect(emulator.voices()).toHaveLength(1);

  prompt("Another one");
  await stack.ok(stack.up());
  expect(paid()).toMatchObject({ voicesBilled: 2, tasks: 2, calls: { decide: 2 } });
});
