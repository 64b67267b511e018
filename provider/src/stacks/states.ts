import { loadedAfterCall, once, oncePer, onceSuccessful } from "../once";
import { processOf, type VoiceHolder } from "../voices/holder";
import { partsOf, type StackIdentity, stackIn, stacksLike, UnknownStackError } from "./names";
import type { StackState } from "./state";

/** Reads states as the engine last saved them. Stacks are named in full. Rejects if something can't be read. */
export interface StateReader {
  /** The organization of every stack, if the backend knows no other. */
  organization?: string | undefined;
  stack(name: string): Promise<StackState>;
  /** The names of a project's stacks, of all its organizations. Default: the project in the working folder. */
  stacks(project?: string): Promise<string[]>;
  allStacks(): Promise<string[]>;
  /** Identifies the backend. Undefined if it can't be told. */
  backend?(): Promise<string | undefined>;
}

/** The saved states, each read at most once in an operation or a command, and only when a decision needs it. */
export class States {
  private identity: StackIdentity | undefined;
  private readonly saved = oncePer((name: string) => onceSuccessful(() => this.reader.stack(name)));
  private readonly now = oncePer((name: string) => loadedAfterCall(() => this.reader.stack(name)));
  private readonly indexOf = oncePer(indexed, new WeakMap<readonly VoiceHolder[], ReturnType<typeof indexed>>());

  /** A command knows the full name of its stack. An operation of the engine learns what its stack is. */
  constructor(
    private readonly reader: StateReader,
    private readonly named?: string,
  ) {}

  /**
   * Workaround: the engine does not tell a provider its project and stack, which the URN of any resource names. A
   * destroy and a refresh run no program, and then they stay unknown.
   */
  learnStack(resource: unknown): void {
    const { urn = "", organization } = (resource ?? {}) as { urn?: string; organization?: string };
    const name = stackIn(urn);
    this.identity ??= name && { ...name, organization: this.reader.organization };
    if (this.identity) this.identity.organization ??= organization;
  }

  /** The state of this operation's stack. Rejects with an {@link UnknownStackError} if that stack is not known. */
  readonly own = onceSuccessful(async (): Promise<StackState> => {
    const [own, ...others] = await this.possible();
    if (own !== undefined && others.length === 0) return own;
    const names = [own, ...others].map((state) => state?.stack).join(" and ");
    throw new UnknownStackError(
      own === undefined
        ? "the stack of this operation is not known"
        : `which stack this operation is of is not known: ${names} have the same project and stack`,
    );
  });

  /** Asked once, even if that fails: otherwise a preview of a thousand voices would try a thousand times. */
  readonly ownAtStart = once(() => this.own());

  /**
   * The creates that an interrupted run left unfinished. Workaround: to be asked for before this operation creates
   * anything, because the engine also saves a pending operation for each create that is under way now. Empty if the
   * state can't be read. Of several stacks that may be this one, those of all: a create that was not ours costs a wait.
   */
  readonly interruptedCreates = once(() =>
    this.possible().then(
      (states) => states.flatMap(({ pendingCreates }) => pendingCreates),
      () => [],
    ),
  );

  /** The same for the updates of sets. Undone by the first update that ends, so it is asked for before that. */
  readonly interruptedUpdates = once(() =>
    this.possible().then(
      (states) => states.flatMap(({ pendingUpdates = [] }) => pendingUpdates),
      () => [],
    ),
  );

  /** Whether one stack is certainly that of this operation. */
  readonly isOwnKnown = () =>
    this.own().then(
      () => true,
      () => false,
    );

  /** Whether several stacks may be that of this operation. Then no note shows which of them sent a request. */
  readonly isOneOfSeveral = once(() =>
    this.possible().then(
      (found) => found.length > 1,
      () => false,
    ),
  );

  /** The backend. Undefined if it can't be told: then it equals no other. */
  readonly backend = once(async () => this.reader.backend?.().catch(() => undefined));

  /** The backend and the full name of this operation's stack. `stack` names the stack if its state can't be read. */
  readonly place = once(async (stack: string) => {
    const own = await this.own().catch(() => undefined);
    return `${(await this.backend()) ?? "unknown"} ${own?.stack ?? stack}`;
  });

  /**
   * Whether a state has a resource with this id: that of this stack, or another one of the project, which was this stack
   * before it was renamed, or has its name in another organization. False if the states can't be read.
   */
  async hasSaved(id: string): Promise<boolean> {
    for (const read of [() => this.possible(), this.project])
      if ((await read().catch(() => [])).some(({ ids }) => ids.has(id))) return true;
    return false;
  }

  /** Begins to read what each voice that the program keeps is asked about. */
  readAhead(): void {
    void this.projectNames().catch(() => undefined);
    const whole = this.possible().then((own) => (own.some(({ ids }) => ids.size > 0) ? this.project() : []));
    void whole.catch(() => undefined);
  }

  /** The states of all stacks of this project, in every organization. */
  readonly project = onceSuccessful(async () => {
    // Each command takes a third of a second. This stack is one of them, so it is read while they are listed.
    void this.possible().catch(() => undefined);
    return this.read(await this.projectNames());
  });

  /**
   * The states of all stacks of this backend. A resource that moved to another project keeps its voice. An organization
   * may have hundreds of stacks, so ask only when a voice is about to be taken or deleted.
   */
  readonly everywhere = onceSuccessful(async () => this.read(await this.allNames()));

  readonly holders = onceSuccessful(async () => (await this.project()).flatMap(({ holders }) => holders));

  /** Every voice that a stack of any project in this backend holds. */
  readonly allHolders = onceSuccessful(async () => (await this.everywhere()).flatMap(({ holders }) => holders));

  /**
   * Who holds the voice at the moment of a delete, of these holders. The other processes of the operation know nothing
   * of this one's calls. If a stack that holds the voice has resources of several processes, its state is read again. A
   * reading that began after the call serves all deletes that wait for one.
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

  /** Those of the holders that hold the voice. Each of a thousand deletes asks, so a reading is indexed once. */
  holding(voice: string, holders: readonly VoiceHolder[]): readonly VoiceHolder[] {
    return this.indexOf(holders).byVoice.get(voice) ?? [];
  }

  /**
   * Those of the holders that are not this resource. A resource in another organization's stack of the same name has
   * the same URN, and so has one of the other kind, as far as its name is made from it. If this operation's own stack is
   * not known, each holder may be another resource.
   */
  async beside(
    identity: { urn: string; savedUrn?: string } | undefined,
    holders: readonly VoiceHolder[],
  ): Promise<VoiceHolder[]> {
    const own = holders.length === 0 ? undefined : await this.own().catch(() => undefined);
    const urn = identity?.savedUrn ?? identity?.urn;
    return holders.filter((holder) => holder.savedUrn !== urn || holder.stack !== own?.stack);
  }

  /** The entries of this resource in the state of this operation's stack. None if that is not known. */
  async ownEntries(identity: { urn: string; savedUrn?: string } | undefined): Promise<VoiceHolder[]> {
    const own = await this.own().catch(() => undefined);
    return (own?.holders ?? []).filter(({ savedUrn }) => savedUrn === (identity?.savedUrn ?? identity?.urn));
  }

  private readonly projectNames = onceSuccessful(async () =>
    this.withOwn(
      await this.reader.stacks(this.named === undefined ? this.identity?.project : partsOf(this.named).project),
    ),
  );

  private readonly allNames = onceSuccessful(async () => this.withOwn(await this.reader.allStacks()));

  /** A list without this operation's own stack is not the list of all stacks. */
  private withOwn(names: string[]): string[] {
    if (this.named !== undefined) return [...new Set([this.named, ...names])];
    if (this.identity === undefined || stacksLike(names, this.identity).length > 0) return names;
    const { organization = "", project, stack } = this.identity;
    throw new UnknownStackError(
      `the backend lists no stack ${[organization, project, stack].filter((part) => part !== "").join("/")}`,
    );
  }

  /** The states of the stacks that may be this operation's own. */
  private async possible(): Promise<StackState[]> {
    if (this.named !== undefined) return this.read([this.named]);
    if (this.identity === undefined) return [];
    const { organization, project, stack } = this.identity;
    // With its full name, the stack need not be looked for. In a layout without projects it has no such name.
    const found =
      organization === undefined ? [] : await this.read([`${organization}/${project}/${stack}`]).catch(() => []);
    return found.length > 0 ? found : this.read(stacksLike(await this.projectNames(), this.identity));
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
