import { describeThrown } from "../describe-thrown";
import { loadedAfterCall, once, oncePer, onceSuccessful } from "../once";
import { processOf, type VoiceHolder } from "../voices/holder";
import { partsOf, type StackIdentity, stackIn, stacksLike, UnknownStackError } from "./names";
import type { StackState } from "./state";

/** Reads states as the engine saved them. Stacks are given by their full names. Rejects if something can't be read. */
export interface StateReader {
  /** The organization of all stacks, in a backend with only one. */
  organization?: string | undefined;
  stack(name: string): Promise<StackState>;
  /** The names of a project's stacks, in all organizations. Default: the project of the working folder. */
  stacks(project?: string): Promise<string[]>;
  allStacks(): Promise<string[]>;
  /** Identifies the backend. Undefined if it can't be identified. */
  backend(): Promise<string | undefined>;
}

export interface Unread {
  stack: string;
  reason: string;
}

/** The holders in all states that could be read, and the stacks whose states could not be read. */
export interface Reading {
  holders: readonly VoiceHolder[];
  unread: readonly Unread[];
}

/** The saved states. Each is read only when it is needed, and once in an operation or command. */
export class States {
  private identity: StackIdentity | undefined;
  private readonly saved = oncePer((name: string) => onceSuccessful(() => this.reader.stack(name)));
  private readonly now = oncePer((name: string) => loadedAfterCall(() => this.reader.stack(name)));
  private readonly indexOf = oncePer(indexed, new WeakMap<readonly VoiceHolder[], ReturnType<typeof indexed>>());

  /** `named`: the full name of a command's stack. An operation of the engine learns its stack later. */
  constructor(
    private readonly reader: StateReader,
    private readonly named?: string,
  ) {}

  /**
   * Workaround: the engine does not tell a provider its project and stack, but the URN of any resource has both. A
   * destroy or refresh runs no program, so the organization may stay unknown.
   */
  learnStack(resource: unknown): void {
    const { urn = "", organization } = (resource ?? {}) as { urn?: string; organization?: string };
    const name = stackIn(urn);
    this.identity ??= name && { ...name, organization: this.reader.organization };
    if (this.identity) this.identity.organization ??= organization;
  }

  /** The state of this operation's stack. Rejects with an {@link UnknownStackError}. */
  readonly own = onceSuccessful(async (): Promise<StackState> => {
    const [own, ...others] = await this.possible();
    if (own !== undefined && others.length === 0) return own;
    const names = [own, ...others].map((state) => state?.stack).join(" and ");
    throw new UnknownStackError(
      own === undefined
        ? "the stack of this operation is not known"
        : `the stack of this operation is ambiguous: ${names} have the same project and stack`,
    );
  });

  /** Read once, even if that fails: otherwise a preview of a thousand voices would try a thousand times. */
  readonly ownAtStart = once(() => this.own());

  /**
   * The creates that an interrupted run left unfinished, in all stacks that may be this operation's stack: a create of
   * another stack only costs a wait. Empty if the state can't be read. Workaround: read these creates before this
   * operation creates anything, because the engine also saves a pending operation for each create under way.
   */
  readonly interruptedCreates = once(async () =>
    (await this.possibleIfRead()).flatMap(({ pendingCreates }) => pendingCreates),
  );

  readonly isOwnKnown = async () => (await this.own().catch(() => undefined)) !== undefined;

  /**
   * Whether a run with another API key may have created something. Judges from the accounts and pending operations in
   * the saved state. True if the state can't be read.
   */
  async mayHaveOtherKey(fingerprint: string): Promise<boolean> {
    const saved = await this.ownAtStart().catch(() => undefined);
    const isOther = ({ account }: VoiceHolder) => account !== undefined && account !== fingerprint;
    return saved === undefined || saved.hasPending || saved.holders.some(isOther);
  }

  /** Whether several stacks may be this operation's stack. Then a note does not show which stack sent the request. */
  readonly isOneOfSeveral = once(async () => (await this.possibleIfRead()).length > 1);

  /** Undefined if the backend can't be identified: then it equals no other. */
  readonly backend = once(async () => this.reader.backend().catch(() => undefined));

  /** The backend and the full name of this operation's stack. If its state can't be read, the name is `stack`. */
  readonly place = once(async (stack: string) => {
    const own = await this.own().catch(() => undefined);
    return `${(await this.backend()) ?? "unknown"} ${own?.stack ?? stack}`;
  });

  /**
   * Whether a state of the project has a resource with this id. All stacks of the project count, because this
   * operation's stack may not be recognised, e.g. after a rename or in another organization. False if the states can't
   * be read.
   */
  async hasSaved(id: string): Promise<boolean> {
    const has = (states: StackState[]) => states.some(({ ids }) => ids.has(id));
    return has(await this.possibleIfRead()) || has(await this.project().catch(() => []));
  }

  /** Starts to read the states that `diff` needs for each unchanged voice. */
  readAhead(): void {
    void this.projectNames().catch(() => undefined);
    const whole = this.possible().then((own) => (own.some(({ ids }) => ids.size > 0) ? this.project() : []));
    void whole.catch(() => undefined);
  }

  /** Like {@link project} and {@link everywhere}, but resolves with what could be read, and lists what could not. */
  readonly readable = oncePer(async (where: "project" | "everywhere"): Promise<Reading> => {
    const unread: Unread[] = [];
    const names = await (where === "project" ? this.projectNames() : this.allNames()).catch(async (error: unknown) => {
      unread.push({ stack: "all stacks", reason: describeThrown(error).message });
      // The listing failed, or lacks this operation's own stack. Read the stacks that can still be found (those that may
      // be this operation's stack, and all that the backend lists), because they may hold a voice.
      const ownStates = await this.possibleIfRead();
      return [...new Set([...ownStates.map(({ stack }) => stack), ...(await this.reader.allStacks().catch(() => []))])];
    });
    const holdersOf = async (stack: string) => {
      try {
        return (await this.saved(stack)()).holders;
      } catch (error) {
        unread.push({ stack, reason: describeThrown(error).message });
        return [];
      }
    };
    return { holders: (await Promise.all(names.map(holdersOf))).flat(), unread };
  });

  /** The states of the project's stacks, in every organization. */
  readonly project = onceSuccessful(async () => {
    // Each command takes a third of a second, so this stack's state is read while the names are listed.
    void this.possible().catch(() => undefined);
    return this.read(await this.projectNames());
  });

  /**
   * The states of all stacks of the backend, because a resource that moved to another project keeps its voice. There
   * may be hundreds, so they are read only before a voice is reused or deleted.
   */
  readonly everywhere = onceSuccessful(async () => this.read(await this.allNames()));

  /**
   * The holders that hold the voice at the moment of a delete. If several processes serve a stack, they do not see each
   * other's calls, so the stack's state is read again. Waiting deletes share a reading that began after their calls.
   */
  async heldNow(voice: string, holders: readonly VoiceHolder[]): Promise<VoiceHolder[]> {
    const entries = this.holding(voice, holders);
    const current = await Promise.all(
      [...new Set(entries.map(({ stack }) => stack))].map(async (stack) => {
        if ((this.indexOf(holders).processes.get(stack)?.size ?? 0) < 2)
          return entries.filter((holder) => holder.stack === stack);
        return this.holding(voice, (await this.now(stack)()).holders);
      }),
    );
    return current.flat();
  }

  /** Indexes the holders once per reading, because each of a thousand deletes needs the index. */
  holding(voice: string, holders: readonly VoiceHolder[]): readonly VoiceHolder[] {
    return this.indexOf(holders).byVoice.get(voice) ?? [];
  }

  /**
   * The holders that are not this resource. The same URN may identify another resource: in a stack of the same name in
   * another organization, or of the other kind of provider. All holders count if this operation's stack is not known.
   */
  async beside(
    identity: { urn: string; savedUrn?: string } | undefined,
    holders: readonly VoiceHolder[],
  ): Promise<VoiceHolder[]> {
    const own = holders.length === 0 ? undefined : await this.own().catch(() => undefined);
    const urn = identity?.savedUrn ?? identity?.urn;
    return holders.filter((holder) => holder.savedUrn !== urn || holder.stack !== own?.stack);
  }

  /** This resource's entries in the state. Empty if the operation's stack is not known. */
  async ownEntries(identity: { urn: string; savedUrn?: string } | undefined): Promise<VoiceHolder[]> {
    const own = await this.own().catch(() => undefined);
    return (own?.holders ?? []).filter(({ savedUrn }) => savedUrn === (identity?.savedUrn ?? identity?.urn));
  }

  private readonly projectNames = onceSuccessful(async () => {
    if (this.named !== undefined) return this.withOwn(await this.reader.stacks(partsOf(this.named).project));
    const names = await this.folderNames();
    if (this.identity === undefined) return names;
    const { project } = this.identity;
    // Outside a project folder, Pulumi lists all stacks of the backend.
    const ofProject = names.filter((name) => (partsOf(name).project ?? project) === project);
    return stacksLike(ofProject, this.identity).length > 0
      ? ofProject
      : this.withOwn(await this.reader.stacks(project));
  });

  /** The stacks of the project in the engine's folder. */
  private readonly folderNames = onceSuccessful(() => this.reader.stacks());

  /**
   * The full names of the stacks to which a resource with this URN may belong. Only stacks of the project in the
   * engine's folder count: a state may have URNs of another project. If they can't be listed, the URN decides.
   */
  async stacksOf(urn: string): Promise<string[]> {
    const name = stackIn(urn);
    if (name === undefined) return [];
    const organization = this.identity?.organization;
    const names = await this.folderNames().catch(() => undefined);
    return names
      ? stacksLike(names, { ...name, organization })
      : [[organization ?? "organization", name.project, name.stack].join("/")];
  }

  private readonly allNames = onceSuccessful(async () => this.withOwn(await this.reader.allStacks()));

  /** Throws if the list lacks this operation's own stack: then it is no list of all stacks. */
  private withOwn(names: string[]): string[] {
    if (this.named !== undefined) return [...new Set([this.named, ...names])];
    if (this.identity === undefined || stacksLike(names, this.identity).length > 0) return names;
    const { organization = "", project, stack } = this.identity;
    throw new UnknownStackError(
      `the backend lists no stack ${[organization, project, stack].filter((part) => part !== "").join("/")}`,
    );
  }

  /** The states of the stacks that may be this operation's. */
  private async possible(): Promise<StackState[]> {
    if (this.named !== undefined) return this.read([this.named]);
    if (this.identity === undefined) return [];
    const { organization, project, stack } = this.identity;
    // If the full name is known, use it. In a backend without projects, a stack has no such name.
    const states =
      organization === undefined ? [] : await this.read([`${organization}/${project}/${stack}`]).catch(() => []);
    return states.length > 0 ? states : this.read(stacksLike(await this.projectNames(), this.identity));
  }

  private possibleIfRead(): Promise<StackState[]> {
    return this.possible().catch(() => []);
  }

  private read(names: string[]): Promise<StackState[]> {
    return Promise.all(names.map((name) => this.saved(name)()));
  }
}

function indexed(holders: readonly VoiceHolder[]) {
  const byVoice = new Map<string, VoiceHolder[]>();
  /** The processes that serve the resources of each stack. */
  const processes = new Map<string, Set<string>>();
  for (const holder of holders) {
    byVoice.set(holder.voice, [...(byVoice.get(holder.voice) ?? []), holder]);
    processes.set(holder.stack, (processes.get(holder.stack) ?? new Set()).add(processOf(holder)));
  }
  return { byVoice, processes };
}
