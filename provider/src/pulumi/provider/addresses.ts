import { InputError } from "../../errors";
import { once } from "../../once";
import { addressIn } from "../../rules/account-fingerprint";
import { addressDoubts, addressUse, type AddressUse, type Recorded } from "../../rules/addresses";
import type { ResourceKind } from "../../rules/resource-types";
import type { Settings } from "../../rules/settings";
import { processOf, serverOf } from "../../voices/holder";
import type { States } from "../../stacks/states";
import { InitializationFailed, type Layer, type Props, type Resource } from "./lifecycle";
import type { Questions } from "./questions";

interface AddressesParts {
  settings: Settings;
  states: Pick<States, "ownAtStart">;
  questions: Pick<Questions, "assertAccepted" | "isAccepted">;
  /** The fingerprint made from an interface's address and the key. */
  fingerprint: (kind: ResourceKind) => string;
}

/**
 * Judges whether the key may be sent to the addresses of this operation, from the addresses in the states that the
 * engine passes and, after a call of `serve`, in the saved state of the stack.
 */
export class Addresses {
  private readonly passed = new Map<string, Recorded>();
  private readonly accepted = new Set<string>();
  /** The provider process of this operation's resources. Another provider of the stack may have another address. */
  private served: string | undefined;

  constructor(private readonly parts: AddressesParts) {}

  /** Called before a call to an interface of the service. Throws if the call must not be sent. */
  readonly assertUsable = async (kind: ResourceKind): Promise<void> => {
    const use = this.useOf(kind);
    if (use === undefined) return;
    const passed = [...this.passed.values()];
    const own = this.served === undefined ? [] : await this.own();
    const served = own.filter(({ process }) => serverOf(process) === this.served);
    const { questions, problem } = addressDoubts(use, [...passed, ...own], [...passed, ...served]);
    if (problem !== undefined) throw new InputError(problem);
    for (const question of questions) {
      const { uncertain, origin = "" } = question;
      if (!this.accepted.has(uncertain))
        await this.parts.questions.assertAccepted(question, `the key is sent to ${origin}`);
      this.accepted.add(uncertain);
    }
  };

  private useOf(kind: ResourceKind): AddressUse | undefined {
    const { settings } = this.parts;
    // Without a key, nothing is sent to the service.
    return settings.apiKey === undefined ? undefined : addressUse(settings, kind, process.env);
  }

  /** Records the account in the state of each resource. */
  readonly kept: Layer = (lifecycle, kind) => {
    const current = () => (this.useOf(kind) === undefined ? {} : { account: this.parts.fingerprint(kind) });
    const learn = (state: Props) => this.learn(kind, state);
    return {
      ...lifecycle,
      check: async (news, olds, resource, unknown) => {
        if (olds === undefined) await this.assertUsable(kind);
        return lifecycle.check(news, olds, resource, unknown);
      },
      diff: (id, olds: Props, news, resource, unknown) => {
        learn(olds);
        return lifecycle.diff(id, olds, news, resource, unknown);
      },
      create: async (inputs, resource) => {
        try {
          const { id, state } = await lifecycle.create(inputs, resource);
          return { id, state: { ...state, ...current() } };
        } catch (error) {
          if (error instanceof InitializationFailed) Object.assign(error.state, current());
          throw error;
        }
      },
      update: (id, olds: Props, news, resource) => {
        learn(olds);
        return lifecycle.update(id, olds, news, resource);
      },
      read: async (id, state: Props, resource) => {
        const recorded = learn(state);
        const found = await lifecycle.read(id, state, resource);
        return found && { ...found, ...((await this.isHere(recorded)) && current()) };
      },
      delete: (id, state: Props, resource) => {
        learn(state);
        return lifecycle.delete(id, state, resource);
      },
      import: async (id) => {
        const found = await lifecycle.import(id);
        return found && { ...found, state: { ...found.state, ...current() } };
      },
    };
  };

  /** Records the account of a state that the engine passes, before any call because of that state. */
  private learn(kind: ResourceKind, { account }: Props): Recorded {
    const recorded = { kind, account: typeof account === "string" ? account : undefined };
    if (recorded.account) this.passed.set(JSON.stringify(recorded), recorded);
    return recorded;
  }

  /** Whether the resource belongs to the current address. */
  private async isHere(recorded: Recorded): Promise<boolean> {
    const use = this.useOf(recorded.kind);
    if (use === undefined) return false;
    if (recorded.kind === "voice") await this.assertUsable("voice");
    if (addressIn(recorded.account) === undefined) return recorded.kind === "voice";
    const { questions, problem } = addressDoubts({ ...use, ofFile: undefined }, [recorded]);
    const [question] = questions;
    return problem === undefined && (question === undefined || this.parts.questions.isAccepted(question));
  }

  /**
   * Learns the provider process, after which the addresses in the stack's saved state are compared too. A refresh and a
   * destroy do not need this, because the engine passes each resource.
   */
  serve({ identity }: Pick<Resource, "identity">): void {
    if (identity !== undefined) this.served ??= serverOf(processOf(identity));
  }

  private readonly own = once(async () => {
    const state = await this.parts.states.ownAtStart().catch(() => undefined);
    // Without duplicates: a thousand voices have the same address, which is compared at each call.
    return [...new Map(state?.addresses.map((address) => [JSON.stringify(address), address])).values()];
  });
}
