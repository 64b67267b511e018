import { describeThrown } from "../../provider/src/describe-thrown";
import type { Emulator } from "../../provider/emulator";
import { DynamicResources } from "../../provider/src/dynamic/dynamic-resources";
import { hiddenInputs, hiddenState, withoutHidden } from "../../provider/src/lifecycle/properties";
import type { DecisionState } from "../../provider/src/lifecycle/decision/decision";
import type { AnyLifecycle, Lifecycle, Props } from "../../provider/src/lifecycle/lifecycle";
import { lifecyclesOf as shippedLifecycles } from "../../provider/src/lifecycle/layers";
import { Log } from "../../provider/src/lifecycle/log";
import { type Operation, type OperationParts, startOperation } from "../../provider/src/lifecycle/operation";
import type { DecisionInputs } from "../../provider/src/rules/decision-fields";
import type { ImageOutputs } from "../../provider/src/rules/image";
import type { ImageInputs } from "../../provider/src/rules/image-fields";
import type { CheckedVoice, VoiceOutputs } from "../../provider/src/rules/voice";
import { invariants } from "./invariants";
import { settingsOf } from "./service";

export { questionsIn } from "./questions-in";

const operations: Operation[] = [];
afterEach(async () => {
  await Promise.all(operations.splice(0).map(({ service }) => service.close()));
});

/** The life cycles of one operation of the engine, in this process, and the lines that it logs. */
export function lifecyclesOf(
  { url, apiKey }: Pick<Emulator, "url" | "apiKey">,
  settings: Record<string, string | undefined> = {},
  parts: OperationParts = {},
  sources: Record<string, string> = {},
) {
  const all: Record<string, string | undefined> = {
    baseUrl: url,
    apiKey,
    imagePollSeconds: "0.01",
    maxRetries: "0",
    ...settings,
  };
  const lines: string[] = [];
  const print = (line: string) => {
    invariants.output("a log line", line);
    lines.push(line);
  };
  const operation = startOperation(settingsOf(all, sources), { log: new Log(print), ...parts });
  operations.push(operation);
  const { voice, image, decision } = shippedLifecycles(operation);
  return {
    voice: voice as Lifecycle<CheckedVoice, VoiceOutputs>,
    image: image as Lifecycle<ImageInputs, ImageOutputs>,
    decision: decision as Lifecycle<DecisionInputs, DecisionState>,
    lines,
  };
}

/** The resource of a test that names none. */
const identity = { urn: "urn:pulumi:dev::p::t::resource" };

/** The same, called as the engine calls a dynamic provider. */
export function newOperation(...args: Parameters<typeof lifecyclesOf>) {
  const { voice, image, decision, lines } = lifecyclesOf(...args);
  return { voice: called(voice), image: called(image), decision: called(decision), lines };
}

/**
 * The calls of the engine on a dynamic provider, without the workarounds for the program that runs it. A create and an
 * update that no check precedes are checked first, as the engine does.
 */
function called(lifecycle: AnyLifecycle) {
  const resources = new DynamicResources();
  const none: ReadonlySet<string> = new Set();
  const resourceOf = (props: Props) => resources.check({}, props, none).resource;
  const kept = (state: object | undefined, props: Props) =>
    state && { ...hiddenState(resources.of(props)), ...(state as Props) };
  const keeping = async <T>(props: Props, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      invariants.output("an error", describeThrown(error).message);
      const { state } = error as { state?: object };
      throw state === undefined ? error : Object.assign(error as object, { outs: kept(state, props) });
    }
  };
  return {
    async check(olds: Props, given: Props, unresolved: ReadonlySet<string>) {
      const who = "label" in given ? {} : { identity };
      const { resource, news, unknown } = resources.check(olds, { ...who, ...given }, unresolved);
      const before = Object.keys(olds).length === 0 ? undefined : withoutHidden(olds);
      for (const name of resource.secrets ?? []) {
        if (typeof news[name] === "string") invariants.keepSecret(`the secret ${name}`, news[name]);
      }
      const { inputs, failures } = await lifecycle.check(news, before, resource, unknown);
      for (const { property, reason } of failures) invariants.output("a failure", `${property} ${reason}`);
      const { identity: _, secretInputs: _names, ...passed } = given;
      return { inputs: { ...(inputs as Props), ...hiddenInputs(passed, resource) }, failures };
    },
    diff: (id: string, olds: Props, news: Props, unknown: ReadonlySet<string>) =>
      lifecycle.diff(id, withoutHidden(olds), withoutHidden(news), resources.of(news), unknown),
    async create(inputs: Props, limits: { timeoutSeconds?: number } = {}) {
      const resource = resources.of(inputs);
      const checked = resource.secrets === undefined ? resourceOf(inputs) : resource;
      const { id, state } = await keeping(inputs, () =>
        lifecycle.create(withoutHidden(inputs), { ...checked, ...limits }),
      );
      return { id, outs: kept(state, inputs) as Props };
    },
    async update(id: string, olds: Props, news: Props, limits: { timeoutSeconds?: number } = {}) {
      const resource = resources.of(news);
      const checked = resource.secrets === undefined ? resourceOf(news) : resource;
      const state = await keeping(news, () =>
        lifecycle.update(id, withoutHidden(olds), withoutHidden(news), { ...checked, ...limits }),
      );
      return { outs: kept(state, news) as Props };
    },
    read: async (id: string, props: Props) =>
      kept(await lifecycle.read(id, withoutHidden(props), resources.of(props)), props),
    delete: (id: string, props: Props) => lifecycle.delete(id, withoutHidden(props), resources.of(props)),
    async import(id: string) {
      const found = await lifecycle.import(id);
      return found && { inputs: found.inputs, outs: found.state };
    },
  };
}
