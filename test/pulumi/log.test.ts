import * as grpc from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { CloudVoiceError } from "../../provider/src/errors";
import { EngineLog } from "../../provider/src/pulumi/plugin/engine-log";
import { InitializationFailed } from "../../provider/src/pulumi/provider/lifecycle";
import { Log } from "../../provider/src/pulumi/provider/log";
import { checkFailure } from "../../provider/src/rules/inputs";
import { emulate } from "../support/emulate";
import { newOperation } from "../support/operation";

/** Every log line, error and failure of a check passes one of these. What they show may come from the service. */

const hostile = [
  ["an escape sequence that clears the screen", "\u001b[2J\u001b[H"],
  ["a title of the window", "\u001b]0;title\u0007"],
  ["a sequence of one character (C1)", "\u009b2J"],
  ["a carriage return, which hides what is before it", "paid\rfree"],
  ["line breaks, which forge a line of the engine", "x\nerror: forged\r\n\u2028\u2029\u0085\u000b"],
  ["marks that change the direction of writing", "\u202egnp.exe\u202c\u2066\u2069\u200f"],
  ["marks that have no width", "a\u200bb\ufeffc\u00ad"],
  ["a null, a backspace and a delete", "a\u0000\u0008\u007f"],
  ["half of a character", "\ud800"],
  ["letters without a picture", "say\u3164\u115f\uffa0\u2800\u034f\ufe0f"],
  ["a command of GitHub's runner", "::set-output name=approved::true"],
  ["a command of a runner, anywhere", "no: ##[error]approved"],
  ["a command of Azure Pipelines, anywhere", "no: ##vso[task.setvariable variable=approved]true"],
] as const;
/** Characters that nobody sees, and what the runner of a pipeline takes for a command. */
const controls = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|^\s*::|##\w*\[/mu;

test.each(hostile)("%s in a log line is made visible", (_, text) => {
  const printed: string[] = [];
  const log = new Log((line, { message }) => printed.push(line, message));
  log.line(text);
  log.warn(`warning ${text}`);
  log.progress(`progress ${text}`);
  log.once("topic", `once ${text}`);
  log.warnOnce("topic", `warned ${text}`);
  expect(printed).toHaveLength(10);
  for (const line of printed) expect(line).not.toMatch(controls);
});

test.each(hostile)("%s in an error is made visible, and so it is in a failure of a check", (_, text) => {
  const facts = { purpose: text, code: text, requestId: text, advice: text };
  const error = new CloudVoiceError(text, facts);
  const { property, reason } = checkFailure({ input: "", path: text, reason: text, hidden: false });
  const { message } = new InitializationFailed("id", {}, text);
  const { message: amended, stack = "" } = error.amend({ reason: `${text} again`, advice: text });
  for (const shown of [error.message, amended, stack.split("\n", 1)[0], message, property, reason])
    expect(shown).not.toMatch(controls);
});

test("the engine's log gets the lines as they were made visible", async () => {
  const got: string[] = [];
  const engine = new grpc.Server();
  const log = ({ request }: { request: LogRequest }, done: grpc.sendUnaryData<Empty>) => {
    got.push(request.getMessage());
    done(null, new Empty());
  };
  const none = () => undefined;
  const others = { getRootResource: none, setRootResource: none, startDebugging: none, requirePulumiVersion: none };
  engine.addService(EngineService, { log, ...others });
  const port = await new Promise<number>((resolve) =>
    engine.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_, bound) => resolve(bound)),
  );
  const engineLog = new EngineLog(`127.0.0.1:${port}`);
  await engineLog.during("urn", () => {
    const lines = new Log(engineLog.print);
    for (const [, text] of hostile) lines.warn(text);
  });
  engine.forceShutdown();
  expect(got).toHaveLength(hostile.length);
  for (const line of got) expect(line).not.toMatch(controls);
});

test("a service whose strings have control characters gets none of them into a line, an error or a state", async () => {
  const emulator = await emulate({ hostile: true });
  const { image, voice, lines } = newOperation(emulator, { debug: "true" });
  const { outs } = await image.create({ model: "svc-image", prompt: "A lighthouse" });
  const failed = image.create({ model: "svc-image", prompt: "[fail] A lighthouse" });
  await expect(failed).rejects.toMatchObject({ message: expect.not.stringMatching(controls) as string });
  const refused = voice.read("svc-tts-vc-x-voice-1-2", { targetModel: "m", createdAt: "2026-01-01T00:00:00Z" });
  await refused.catch(() => undefined);
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(line).not.toMatch(controls);
  expect(JSON.stringify(outs)).not.toMatch(controls);
});
