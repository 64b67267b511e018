import type { Emulator } from "../../provider/src/emulator";
import { decisionLifecycle } from "../../provider/src/pulumi/provider/decision/lifecycle";
import { imageLifecycle } from "../../provider/src/pulumi/provider/image/lifecycle";
import { Log } from "../../provider/src/pulumi/provider/log";
import { type Operation, type OperationParts, startOperation } from "../../provider/src/pulumi/provider/operation";
import { voiceLifecycle } from "../../provider/src/pulumi/provider/voice/lifecycle";
import { readSettings } from "../../provider/src/rules/settings";

const operations: Operation[] = [];
afterEach(async () => {
  await Promise.all(operations.splice(0).map(({ service }) => service.close()));
});

/** The life cycles of one operation of the engine, in this process, and the lines that it logs. */
export function newOperation(
  { url, apiKey }: Pick<Emulator, "url" | "apiKey">,
  settings: Record<string, string | undefined> = {},
  parts: OperationParts = {},
) {
  const all: Record<string, string | undefined> = {
    baseUrl: url,
    apiKey,
    imagePollSeconds: "0.01",
    maxRetries: "0",
    ...settings,
  };
  const lines: string[] = [];
  const found = readSettings((name) => (all[name] === undefined ? undefined : { value: all[name], source: name }));
  const operation = startOperation(found, { log: new Log((line) => lines.push(line)), ...parts });
  operations.push(operation);
  return {
    voice: voiceLifecycle(operation),
    image: imageLifecycle(operation),
    decision: decisionLifecycle(operation),
    lines,
  };
}
