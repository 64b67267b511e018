import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Review } from "../../provider/src/cli/review/review";
import { cloudvoice } from "../support/cloudvoice";
import { emulate } from "../support/emulate";
import { Stack } from "../support/stack";

/** A text that was checked out or saved with other bytes is the same text: nothing is paid again. */

test("line ends, the Unicode form, a last line, the number that came and a folder's spelling pay for nothing", async () => {
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { CLOUDVOICE_IMAGE_POLL_SECONDS: "0.05" });
  const text = "Un café au crépuscule.\nA lighthouse behind it";
  const write = (prompt: string, image: string) => {
    writeFileSync(join(stack.folder, "prompt.txt"), prompt);
    stack.program(`
      const text = require("node:fs").readFileSync("prompt.txt", "utf8");
      new cv.GeneratedImage("cover", { model: "svc-image", prompt: text, negativePrompt: text, ${image} });
      new cv.CloudVoice("voice", { targetModel: model, audio: "a.wav", text });
      new cv.Decision("decision", { state: { text }, questions: { q: cv.question.noul(text) } });`);
  };
  write(text, `saveTo: "covers"`);
  await stack.ok(stack.up());
  const paid = { voicesBilled: 1, tasks: 1, calls: { decide: 1 } };
  expect(emulator.summary()).toMatchObject(paid);

  const rewritten = `${text.replaceAll("\n", "\r\n").normalize("NFD")}\n`;
  write(rewritten, `saveTo: "./covers/", n: 1`);
  const { stdout } = await stack.preview("--json", "--show-sames");
  const reviewed = await cloudvoice(stack, ["review", "-", "--json", "--max-cost", "0"], stdout);
  expect(reviewed.code).toBe(2);
  const { changes } = JSON.parse(reviewed.stdout) as Review;
  expect(changes.map(({ action, why }) => `${action}: ${why}`)).toEqual([
    "update: text changed; free",
    "update: n, prompt, negativePrompt changed; free",
    "update: state, questions changed; free",
  ]);
  await stack.ok(stack.up());
  await stack.ok(stack.up("--refresh", "--expect-no-changes"));
  expect((await stack.resources()).find(({ urn }) => urn.endsWith("::cover"))?.outputs?.prompt).toBe(rewritten);
  expect(emulator.summary()).toMatchObject(paid);
  expect(emulator.voices()).toHaveLength(1);
});
