import type { z } from "zod";
import { nameInLabel, type ResourceKind } from "../rules/resource-types";
import { voiceLifecycle } from "./voice";
import { decisionLifecycle } from "./decision/decision";
import { imageLifecycle } from "./image/image";
import type { AnyLifecycle, Layer, Props, Resource } from "./lifecycle";
import type { Operation } from "./operation";
import { onlyPlan } from "./plan";
import { visible } from "../rules/visible";
import type { Checks } from "./checks";
import { AuthenticationError, InputError } from "../errors";
import { inputsThat, isSame } from "../rules/inputs";
import { resources } from "../rules/resources";
import { outputsIn } from "../rules/outputs";

/**
 * The life cycles, with the layers around each. A call passes through the first layer first. `layers`: those that only
 * the dynamic provider adds.
 */
export function lifecyclesOf(operation: Operation, layers: readonly Layer[] = []): Record<ResourceKind, AnyLifecycle> {
  const { checks, plan, underway } = operation;
  const all = [
    announceChecks(operation),
    damagedStates,
    refuseLateChanges(),
    keepGates(checks),
    ...layers,
    underway.counted,
    onlyPlan(plan),
  ];
  return {
    voice: inside(all, "voice", voiceLifecycle(operation)),
    image: inside(all, "image", imageLifecycle(operation)),
    decision: inside(all, "decision", decisionLifecycle(operation)),
  };
}

export function inside(layers: readonly Layer[], kind: ResourceKind, lifecycle: AnyLifecycle): AnyLifecycle {
  return layers.reduceRight((inner, layer) => layer(inner, kind), lifecycle);
}

/** Announces each resource, and refuses an address to which the key must not be sent. */
export function announceChecks({ checks, assertAddress }: Pick<Operation, "checks" | "assertAddress">): Layer {
  return (inner, kind) => ({
    ...inner,
    async check(news, olds, resource, unknown) {
      checks.declare(resource, olds !== undefined);
      if (olds === undefined) assertAddress(kind);
      return inner.check(news, olds, resource, unknown);
    },
  });
}

/**
 * Refuses to create a resource that depends on a gate which `--target` or `--exclude` omits. Workaround: the engine
 * does not call the provider for an omitted gate, and would create the resource.
 */
export function keepGates(checks: Pick<Checks, "isDeclared">): Layer {
  return (inner) => ({
    ...inner,
    async check(news, olds, resource, unknown) {
      const checked = await inner.check(news, olds, resource, unknown);
      const omitted = (resource.identity?.gates ?? []).filter((label) => !checks.isDeclared({ label }));
      // The engine does not pass old inputs for a create and for the second check of a replacement.
      if (olds !== undefined || omitted.length === 0) return checked;
      const gates = visible(omitted.map(nameInLabel).join(", "));
      const reason = `depends on the gate "${gates}", which --target or --exclude omits. Make the gate a target too`;
      return { ...checked, failures: [...checked.failures, { property: "", reason }] };
    },
  });
}

/**
 * Refuses inputs that a policy (`remediate`) changed after `check`, because the generated name of a voice depends on
 * the checked inputs. Workaround: when the engine replaces a resource, it drops the policy's change, so each update
 * would replace the resource again and pay for it.
 */
export function refuseLateChanges(): Layer {
  return (inner, kind) => {
    /** The inputs that `check` accepted, until they were compared with those of `diff` or `create`. */
    const accepted = new Map<string, Props>();
    const replacing = inputsThat("replaces", resources[kind].inputs);
    const assertAsChecked = (news: object, { label, name }: Resource, more: string[], unknown: ReadonlySet<string>) => {
      const before = accepted.get(label);
      const late = [...new Set([...replacing, ...more])].filter(
        (each) => before && !unknown.has(each) && !isSame(before[each], (news as Props)[each]),
      );
      // Forget the checked inputs. Those of ten thousand resources take memory, and a later call without a `check` must
      // not be compared with them.
      if (late.length === 0) return void accepted.delete(label);
      throw new InputError(`${name}: a policy (remediate) changed ${late.join(", ")} after the check`, {
        advice:
          "Set the value in the program, and let the policy only require it, because a policy's change is lost when " +
          "Pulumi replaces a resource.",
      });
    };
    return {
      ...inner,
      async check(...args) {
        const result = await inner.check(...args);
        accepted.set(args[2].label, result.inputs as Props);
        return result;
      },
      async diff(id, olds, news, resource, unknown) {
        const result = await inner.diff(id, olds, news, resource, unknown);
        if (result.replaces.length > 0) assertAsChecked(news, resource, result.replaces, unknown);
        else accepted.delete(resource.label);
        return result;
      },
      async create(news, resource) {
        assertAsChecked(news, resource, ["audio"], new Set());
        return await inner.create(news, resource);
      },
    };
  };
}

function amending(
  lifecycle: AnyLifecycle,
  amend: (error: unknown, method: string, args: unknown[]) => unknown,
): AnyLifecycle {
  const methods = Object.entries(lifecycle) as [string, (...args: unknown[]) => Promise<unknown>][];
  const amended = methods.map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await method(...args);
      } catch (error) {
        throw amend(error, name, args);
      }
    },
  ]);
  return Object.fromEntries(amended) as AnyLifecycle;
}

const hint =
  "Pulumi runs destroy, refresh and up --refresh with the configuration of the last update, so if the " +
  "key is new, set CLOUDVOICE_API_KEY for these commands.";

/**
 * Adds an explanation to the error of a refused key. Workaround: if the engine does not run the program, it passes the
 * configuration of the last update, which may have an old key.
 */
export function storedKeyHints(checks: Pick<Checks, "programRuns">): Layer {
  const amend = (error: unknown, method: string) => {
    const isStored = method === "read" || (method === "delete" && !checks.programRuns);
    if (!isStored || !(error instanceof AuthenticationError)) return error;
    const { advice = "" } = error;
    // Resources that wait for the same list share its error, so the error may have the hint already.
    return advice.includes(hint) ? error : error.amend({ advice: `${advice} ${hint}`.trim() });
  };
  return (inner) => amending(inner, amend);
}

/**
 * Replaces a `TypeError` that is caused by a damaged state, e.g. after somebody edited the state. States are not
 * checked before use, because states of older versions may have other forms.
 */
const damagedStates: Layer = (inner, kind) => {
  const { outputs, name } = resources[kind];
  return amending(inner, (error, method, [, state]) => {
    if (!(error instanceof TypeError) || !["diff", "update", "read", "delete"].includes(method)) return error;
    const fits = (output: string, schema: z.ZodType) => schema.safeParse((state as Props)[output]).success;
    const damaged = outputsIn(outputs).flatMap((output) => (fits(output.name, output.schema) ? [] : [output.name]));
    if (damaged.length === 0) return error;
    return new InputError(`the saved state of this ${name} is damaged in ${damaged.join(", ")}`, {
      advice: "Restore an older state with `pulumi stack import`, or remove the resource with `pulumi state delete`.",
      cause: error,
    });
  });
};
