import * as pulumi from "@pulumi/pulumi";
import type { Answers, DecisionInputs, Expectations, Questions } from "../../rules/decision";
import { checkSecretKey } from "./settings";
import { refuseImport } from "./refuse-import";
import { secretMark } from "./secret-mark";
import { withoutTraces } from "./without-traces";
import { providerText, requireResolvable } from "../shared/provider-text";

/** Arguments of {@link Decision}. Changing a field marked *replaces* asks anew, and costs another call. */
export interface DecisionArgs<Q extends Questions = Questions> {
  /** What is to be decided on: a text, or an object, which is sent as text in a stable order. *Replaces.* Contract 4.7. */
  state: pulumi.Input<DecisionInputs["state"]>;
  /** The questions by their ids, as `question.choice`, `question.noul` and `question.score` make them. *Replaces.* Contract 2.3. */
  questions: pulumi.Input<Q>;
  /** Values whose change asks anew. *Replaces.* */
  triggers?: pulumi.Input<pulumi.Input<NonNullable<DecisionInputs["triggers"]>[number]>[]>;
  /**
   * Per question, what lets the update go on. Otherwise it fails, and says what was expected and what came; the answers are kept, and
   * judged anew at no cost when this changes.
   */
  expect?: pulumi.Input<Expectations<Q>>;
}

/**
 * A decision that is asked for once and pinned in the state, so that every preview and update sees the same answers; with
 * `expect`, a gate. What must wait for it depends on it.
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
  static readonly __pulumiType = "pulumi-nodejs:dynamic/cloudvoice:Decision";

  declare readonly state: pulumi.Output<DecisionInputs["state"]>;
  declare readonly questions: pulumi.Output<Q>;
  declare readonly triggers: pulumi.Output<(string | number | boolean)[] | undefined>;
  declare readonly expect: pulumi.Output<Expectations<Q> | undefined>;
  /** The answers by the ids of their questions. Secret when state or questions are. */
  declare readonly answers: pulumi.Output<Answers<Q>>;
  /** The model that answered. */
  declare readonly model: pulumi.Output<string>;
  /** The service's id of the request; the same as `id`. */
  declare readonly requestId: pulumi.Output<string>;
  declare readonly inputTokens: pulumi.Output<number>;
  /** Milliseconds, as the service measured them. */
  declare readonly latencyMs: pulumi.Output<number>;

  /** True for a decision of this package, whichever copy of the package made it. */
  static override isInstance(value: unknown): value is Decision {
    return (
      pulumi.CustomResource.isInstance(value) &&
      (value as { __pulumiType?: string }).__pulumiType === Decision.__pulumiType
    );
  }

  constructor(name: string, args: DecisionArgs<Q>, opts?: pulumi.CustomResourceOptions) {
    checkSecretKey();
    requireResolvable();
    refuseImport(name, opts, () => "the service keeps no answers, so it has to be asked");
    const { state, questions, triggers, expect } = args;
    const outputs = {
      model: undefined,
      requestId: undefined,
      inputTokens: undefined,
      latencyMs: undefined,
      answers: secretMark(state, questions),
    };
    const restoreTraces = withoutTraces();
    try {
      super(
        Decision.__pulumiType,
        name,
        { ...outputs, state, questions, triggers, expect, __provider: providerText("decision") },
        opts,
      );
    } finally {
      restoreTraces();
    }
  }
}
