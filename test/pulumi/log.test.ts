import { CloudVoiceError } from "../../provider/src/errors";
import { InitializationFailed } from "../../provider/src/lifecycle/lifecycle";
import { Log } from "../../provider/src/lifecycle/log";
import { checkFailure } from "../../provider/src/rules/inputs";
import { emulate } from "../support/emulate";
import { newOperation } from "../support/operation";

/** Every log line, error and failure of a check passes one of these. What they show may come from the service. */

/** test/rules/visible.test.ts has what else is made visible. */
const hostile = "::set-output name=a::b\u001b[2J\u202ex\nerror: forged\u2028 ##[error]approved";
/** Characters that nobody sees, and what the runner of a pipeline takes for a command. */
const controls = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|^\s*::|##\w*\[/mu;

test("what is hostile in a log line is made visible", () => {
  const printed: string[] = [];
  const log = new Log((line, { message }) => printed.push(line, message));
  log.line(hostile);
  log.warn(`warning ${hostile}`);
  log.progress(`progress ${hostile}`);
  log.once("topic", `once ${hostile}`);
  log.warnOnce("topic", `warned ${hostile}`);
  expect(printed).toHaveLength(10);
  for (const line of printed) expect(line).not.toMatch(controls);
});

test("what is hostile in an error is made visible, and so it is in a failure of a check", () => {
  const facts = { purpose: hostile, code: hostile, requestId: hostile, advice: hostile };
  const error = new CloudVoiceError(hostile, facts);
  const { property, reason } = checkFailure({ input: "", path: hostile, reason: hostile, hidden: false });
  const { message } = new InitializationFailed("id", {}, hostile);
  const { message: amended, stack = "" } = error.amend({ reason: `${hostile} again`, advice: hostile });
  for (const shown of [error.message, amended, stack.split("\n", 1)[0], message, property, reason])
    expect(shown).not.toMatch(controls);
});

test("a service whose strings have control characters gets none of them into a line, an error or a state", async () => {
  const emulator = await emulate({ hostile: true });
  const { image, voice, lines } = newOperation(emulator, { debug: "true", settleSeconds: "0" });
  const { outs } = await image.create({ model: "svc-image", prompt: "A lighthouse" });
  const failed = image.create({ model: "svc-image", prompt: "[fail] A lighthouse" });
  await expect(failed).rejects.toMatchObject({ message: expect.not.stringMatching(controls) as string });
  const refused = voice.read("svc-tts-vc-x-voice-1-2", { targetModel: "m", createdAt: "2026-01-01T00:00:00Z" });
  await refused.catch(() => undefined);
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(line).not.toMatch(controls);
  expect(JSON.stringify(outs)).not.toMatch(controls);
});
