import * as pulumi from "@pulumi/pulumi";
import type { Answers, Expectations, Questions } from "../../rules/decision";
import type { Trigger } from "../../rules/inputs";
import { resourceTypes } from "../shared/resource-types";
import type { DecisionArgs } from "./args";
import { beginRegistration, hasType } from "./register";
import { secretMark } from "./secret-mark";
import { assertTransportable, asOutput } from "./transportable";

/**
 * A decision that is made once and kept in the state, so that every preview and update sees the same answers. With
 * `expect` it is a gate: resources that depend on it are created only if the answers meet the expectations.
 *
 * ```ts
 * const gate = new Decision("gate", {
 *   state: releaseNotes,
 *   questions: { risky: question.noul("Do these notes announce a breaking change?") },
 *   expect: { risky: { max: 0.2 } },
 * });
 * ```
 */
export class Decision<const Q extends Questions = Questions> extends pulumi.CustomResource {
  /** @internal */
  static readonly __pulumiType = resourceTypes.decision;

  declare readonly state: pulumi.Output<string | object>;
  declare readonly questions: pulumi.Output<Q>;
  declare readonly triggers: pulumi.Output<Trigger[] | undefined>;
  declare readonly expect: pulumi.Output<Expectations<Q> | undefined>;
  /**
   * The answers by the ids of their questions, typed by the questions: `answers.tone.choice` is one of the options of
   * `tone`. Secret when state or questions are.
   */
  declare readonly answers: pulumi.Output<Answers<Q>>;
  /** The model that answered. */
  declare readonly model: pulumi.Output<string>;
  /** The service's id of the request. The same as `id`. */
  declare readonly requestId: pulumi.Output<string>;
  /** The tokens of state and questions, by which the service bills the request. */
  declare readonly inputTokens: pulumi.Output<number | undefined>;
  /** Milliseconds that the service took, as it measured them. */
  declare readonly latencyMs: pulumi.Output<number | undefined>;

  /** Whether a value is a decision of this package, whichever copy of the package created it. */
  static override isInstance(value: unknown): value is Decision {
    return hasType(value, Decision.__pulumiType);
  }

  /**
   * @param name - Name of the resource, unique among the program's decisions under the same parent.
   * @param args - The inputs.
   * @param opts - The usual resource options. `import` does not work for a dynamic resource.
   */
  constructor(name: string, args: DecisionArgs<Q>, opts?: pulumi.CustomResourceOptions) {
    const { state, questions, triggers, expect } = args;
    assertTransportable(name, { state, questions, expect });
    const { props, end } = beginRegistration({
      resource: "decision",
      name,
      opts,
      args,
      outputs: ["model", "requestId", "inputTokens", "latencyMs"] satisfies (keyof Decision)[],
      inputs: {
        ...{ triggers, answers: secretMark(state, questions) },
        ...{ state: asOutput(state), questions: asOutput(questions), expect: asOutput(expect) },
      },
      insteadOfImport: () => "the service keeps no answers, so the questions have to be asked again",
    });
    try {
      super(Decision.__pulumiType, name, props, opts);
    } finally {
      end();
    }
  }
}
