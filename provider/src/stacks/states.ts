import { describeThrown } from "../describe-thrown";
import { loadedAfterCall, once, oncePer, onceSuccessful } from "../once";
import { processOf, type VoiceHolder } from "../voices/holder";
import { partsOf, type StackIdentity, stackIn, stacksLike, UnknownStackError } from "./names";
import type { StackState } from "./state";

/** Reads states as the engine last saved them. Stacks are named in full. Rejects if something can't be read. */
export interface StateReader {
  /** The organization of all stacks, in a backend that knows only one. */
  organization?: string | undefined;
  stack(name: string): Promise<StackState>;
  /** The names of a project's stacks, of all its organizations. Default: the project in the working folder. */
  stacks(project?: string): Promise<string[]>;
  allStacks(): Promise<string[]>;
  /** Identifies the backend. Undefined if it can't be told. */
  backend?(): Promise<string | undefined>;
}

/** A stack whose state could not be read, and why. */
export interface Unread {
  stack: string;
  reason: string;
}

/** Every voice that the states which could be read hold, and the stacks whose states could not be read. */
export interface Reading {
  holders: readonly VoiceHolder[];
  unread: readonly Unread[];
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
        : `it is not known which stack this operation belongs to: ${names} have the same project and stack`,
    );
  });

  /** Asked once, even if that fails: otherwise a preview of a thousand voices would try a thousand times. */
  readonly ownAtStart = once(() => this.own());

  /**
   * The creates that an interrupted run left unfinished. Workaround: ask for them before this operation creates
   * anything, because the engine also saves a pending operation for each create under way. Empty if the state can't be
   * read. If several stacks may be this one, returns the creates of all: a create of another stack only costs a wait.
   */
  readonly interruptedCreates = once(() =>
    this.possible().then(
      (states) => states.flatMap(({ pendingCreates }) => pendingCreates),
      () => [],
    ),
  );

  /** The same for updates of sets. The first update that ends removes them from the state, so ask before it does. */
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

  /**
   * Whether a run with another key may have left something: the state records another account, or has unfinished
   * operations, or can't be read.
   */
  readonly mayHaveOtherKey = (fingerprint: string): Promise<boolean> =>
    this.ownAtStart().then(
      ({ hasPending = false, holders }) =>
        hasPending || holders.some(({ account }) => account !== undefined && account !== fingerprint),
      () => true,
    );

  /** Whether several stacks may belong to this operation. Then a note does not show which of them sent its request. */
  readonly isOneOfSeveral = once(() =>
    this.possible().then(
      (found) => found.length > 1,
      () => false,
    ),
  );

  /** The backend. Undefined if it can't be told: then it equals no other. */
  readonly backend = once(async () => this.reader.backend?.().catch(() => undefined));

  /** The backend and the full name of this operation's stack. If the state can't be read, the name is `stack`. */
  readonly place = once(async (stack: string) => {
    const own = await this.own().catch(() => undefined);
    return `${(await this.backend()) ?? "unknown"} ${own?.stack ?? stack}`;
  });

  /**
   * Whether a saved state has a resource with this id: the state of this stack or of another one of the project. The
   * other stack may be this one before a rename, or have its name in another organization. False if the states can't be
   * read.
   */
  async hasSaved(id: string): Promise<boolean> {
    for (const read of [() => this.possible(), this.project])
      if ((await read().catch(() => [])).some(({ ids }) => ids.has(id))) return true;
    return false;
  }

  /** Starts to read the states that `diff` needs for each voice that the program keeps. */
  readAhead(): void {
    void this.projectNames().catch(() => undefined);
    const whole = this.possible().then((own) => (own.some(({ ids }) => ids.size > 0) ? this.project() : []));
    void whole.catch(() => undefined);
  }

  /** Like {@link project} and {@link everywhere}, but never rejects: it says what could not be read. */
  readonly readable = oncePer(async (where: "project" | "everywhere"): Promise<Reading> => {
    const unread: Unread[] = [];
    const names = await (where === "project" ? this.projectNames() : this.allNames()).catch(async (error: unknown) => {
      unread.push({ stack: "all stacks", reason: describeThrown(error).message });
      // Those that are listed may hold a voice, although others are not known.
      const own = await this.possible().catch(() => []);
      return [...new Set([...own.map(({ stack }) => stack), ...(await this.reader.allStacks().catch(() => []))])];
    });
    const states = names.map((stack) =>
      this.saved(stack)().catch((error: unknown) => void unread.push({ stack, reason: describeThrown(error).message })),
    );
    return readingOf(
      (await Promise.all(states)).filter((state) => state !== undefined),
      unread,
    );
  });

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
   * Which of these holders hold the voice at the moment of a delete. The other processes of the operation do not know
   * this process's calls. So if a stack with the voice is served by several processes, its state is read again. Deletes
   * that wait share a reading that began after their calls.
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

  /** The holders that hold the voice. Indexed once per reading, because each of a thousand deletes asks. */
  holding(voice: string, holders: readonly VoiceHolder[]): readonly VoiceHolder[] {
    return this.indexOf(holders).byVoice.get(voice) ?? [];
  }

  /**
   * The holders that are not this resource. A resource has the same URN in a stack of the same name in another
   * organization, and for the two kinds of resources, where names are made from the URN. If this operation's own stack
   * is not known, each holder may be another resource.
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

  private readonly projectNames = onceSuccessful(async () => {
    if (this.named !== undefined) return this.withOwn(await this.reader.stacks(partsOf(this.named).project));
    const here = await this.namesHere();
    if (this.identity === undefined) return here;
    const { project } = this.identity;
    // Outside of a project, all stacks of the backend are listed.
    const named = here.filter((name) => (partsOf(name).project ?? project) === project);
    return stacksLike(named, this.identity).length > 0 ? named : this.withOwn(await this.reader.stacks(project));
  });

  /** The stacks of the project in the engine's working folder. */
  private readonly namesHere = onceSuccessful(() => this.reader.stacks());

  /**
   * The full names of the stacks to which a resource with this URN may belong, of those in the project of the engine's
   * working folder: nothing else shows that an operation belongs to the project in a URN, which a state may have from
   * another one. If they can't be listed, the URN counts.
   */
  async stacksOf(urn: string): Promise<string[]> {
    const name = stackIn(urn);
    if (name === undefined) return [];
    const organization = this.identity?.organization;
    const here = await this.namesHere().catch(() => undefined);
    return here
      ? stacksLike(here, { ...name, organization })
      : [[organization ?? "organization", name.project, name.stack].join("/")];
  }

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
    // If the full name is known, use it. A layout without projects has no such name.
    const found =
      organization === undefined ? [] : await this.read([`${organization}/${project}/${stack}`]).catch(() => []);
    return found.length > 0 ? found : this.read(stacksLike(await this.projectNames(), this.identity));
  }

  private read(names: string[]): Promise<StackState[]> {
    return Promise.all(names.map((name) => this.saved(name)()));
  }
}

function readingOf(states: readonly StackState[], unread: readonly Unread[]): Reading {
  return { holders: states.flatMap(({ holders }) => holders), unread };
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
