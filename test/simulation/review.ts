import { createsIn, doubtfulTasks } from "../../provider/src/cli/review/open-requests";
import { Journal } from "../../provider/src/service/journal/journal";
import { type StateReader, States } from "../../provider/src/stacks/states";
import { EarlierRuns } from "../../provider/src/voices/earlier-runs";
import { basename } from "node:path";
import { parsePreview, type Preview } from "../../provider/src/cli/review/preview";
import type { ReviewFacts } from "../../provider/src/cli/review/facts";
import { type Review, reviewOf } from "../../provider/src/cli/review/review";
import { exitCodeOf } from "../../provider/src/cli/review/exit-code";
import { describeThrown } from "../../provider/src/describe-thrown";
import { readSettings } from "../../provider/src/rules/settings";
import { connect } from "../../provider/src/service/connect";
import type { ListedVoice } from "../../provider/src/service/voices/client";
import type { Run, Scenario } from "./commands";
import type { Outcome, PlannedStep } from "./engine";
import { scenarioOf } from "./generate";
import { Processes } from "./process";
import { idsOf, type Mistake, settingsOf } from "./provider";
import { Simulation } from "./simulation";
import { models, type Program } from "./program";
import { type Entry, type Kind, nameOf, stateReader } from "./state";
import { Random } from "./world";

/** A review says what `up` then does: random programs and worlds, each review compared with the run that follows it. */

interface ReviewedRun {
  /** How many updates were compared. */
  compared: number;
  violations: string[];
  log: string[];
}

/** The settings of a run: small quotas, because each kind of failure should happen. */
interface Limits {
  quota: number;
  stackQuota: number | undefined;
  /** The kinds of questions to which the person says yes. */
  accepts: string[];
}

type Distortion = (facts: ReviewFacts) => ReviewFacts;

/** Mistakes of the review that the comparison must find. */
export const reviewMistakes: Record<string, Distortion> = {
  "a review takes voices without evidence": (facts) => ({
    ...facts,
    asking: { backend: "", accepted: idsOf(["take"]) },
  }),
  "a review believes that the account has every voice of the state": ({ account, held = [], ...facts }) => ({
    ...facts,
    held,
    account: [...(account as ListedVoice[]), ...held.map(({ voice }) => ({ voice, targetModel: models[0] }))],
  }),
};

function limitsOf(seed: number): Limits {
  const random = new Random(seed ^ 0x2545f491);
  return {
    quota: random.chance(0.5) ? 1000 : random.between(2, 6),
    stackQuota: random.chance(0.25) ? random.between(1, 3) : undefined,
    accepts: random.chance(0.2) ? ["take"] : [],
  };
}

export function reviewScenario(seed: number): Scenario {
  const scenario = scenarioOf(seed, true);
  const { dialect } = scenario.service;
  return {
    ...scenario,
    // In half of the runs, so that the others can be read.
    service: { ...scenario.service, quota: limitsOf(seed).quota, dialect: seed % 2 === 0 ? dialect : null },
  };
}

export async function runReviews(scenario: Scenario, distort?: Distortion): Promise<ReviewedRun> {
  const reviews = new Reviews(scenario, limitsOf(scenario.seed), distort);
  const { world, log } = reviews.simulation;
  const work = async () => {
    for (const command of scenario.commands) {
      if (command.do === "up") await reviews.compare(command);
      else await reviews.simulation.execute(command);
    }
  };
  reviews.violations.push(...(await world.violationsUntil(work())));
  return { compared: reviews.compared, violations: reviews.violations, log };
}

/** What an operation did, as the service saw it. */
interface Seen {
  voices: number;
  images: number;
  decisions: number;
  peak: number;
  deleted: Set<string>;
}

class Reviews {
  readonly simulation: Simulation;
  readonly violations: string[] = [];
  compared = 0;
  private readonly mistake: Mistake = {};
  private planned: PlannedStep[] = [];
  private seen: Seen = nothing(0);

  constructor(
    scenario: Scenario,
    private readonly limits: Limits,
    private readonly distort: Distortion = (facts) => facts,
  ) {
    const called = (method: string, urn: string) => {
      if (method === "create" && urn.includes(":Decision::")) this.seen.decisions++;
    };
    const { mistake } = this;
    this.simulation = new Simulation(scenario, mistake, called, (step) => this.planned.push(step));
    const { service } = this.simulation;
    const before = { ...service.hooks };
    Object.assign(service.hooks, {
      billedVoice: (...args: Parameters<typeof before.billedVoice>) => {
        this.seen.voices++;
        this.seen.peak = Math.max(this.seen.peak, service.existing().length);
        return before.billedVoice(...args);
      },
      billedTask: (...args: Parameters<typeof before.billedTask>) => {
        this.seen.images++;
        return before.billedTask(...args);
      },
      deletedVoice: (...args: Parameters<typeof before.deletedVoice>) => {
        this.seen.deleted.add(args[1].voice);
        before.deletedVoice(...args);
      },
    } satisfies Partial<typeof service.hooks>);
  }

  /** Reviews the update, runs it, and reports each difference. */
  async compare(run: Run): Promise<void> {
    const { simulation } = this;
    const review = await this.review(run);
    const missing = review.changes.filter(({ why }) => why.startsWith("missing at the service")).length;
    const asksAboutMissing = review.questions.some(({ kind }) => kind === "missing");
    const isRefreshed = missing > 0 || asksAboutMissing || run.refresh === true;
    // Targets refresh only what they name.
    const refresh = run.targets === undefined && run.excludes === undefined && isRefreshed;
    this.seen = nothing(simulation.service.existing().length);
    const { state, program } = simulation.person.stackAt(run.stack);
    const renames = refresh && renamesAfterRefresh(program, state.entries, simulation.service.existing());
    const oldCopies = state.entries.filter(({ isOld }) => isOld).map(({ id }) => id);
    simulation.passedGates.length = 0;
    const outcome = await simulation.operate({ ...run, refresh, accepts: this.limits.accepts });
    this.compared++;
    const existing = simulation.service.existing().length;
    const states = simulation.person.stacks.flatMap(({ state }) => state.entries);
    const found = problems(
      review,
      outcome,
      { ...this.seen, existing, states, passedGates: simulation.passedGates },
      {
        run,
        missing,
        asksAboutMissing,
        refresh,
        renames,
        isLimited: (run.targets ?? run.excludes) !== undefined,
        oldCopies,
      },
    );
    if (found.length === 0) return;
    const changes = review.changes.map(({ action, name, why, id, takes, warning }) => {
      return `${action} ${name} ${id ?? ""} ${takes ?? ""}: ${why} ${warning ?? ""}`;
    });
    this.violations.push(
      ...found,
      [...changes, ...review.errors, JSON.stringify(review.quota), `${outcome.end}: ${outcome.errors.join("; ")}`].join(
        "\n  ",
      ),
    );
  }

  private async review(run: Run): Promise<Review> {
    const { simulation, mistake, limits } = this;
    const { stackQuota, accepts } = limits;
    const stack = simulation.person.stackAt(run.stack);
    const { options } = simulation.service;
    const settings = { ...(stackQuota !== undefined && { stackQuota: String(stackQuota) }) };
    mistake.settings = { ...settings, quotaCheck: "warn" };
    this.planned = [];
    const states = stateReader(
      () => simulation.person.stacks,
      () => Promise.resolve(),
    );
    const held = (await states.stack(stack.name)).holders;
    const logged = simulation.log.length;
    const outcome = await simulation.operate({ ...run, do: "preview", refresh: false, accepts });
    const notes = simulation.log.slice(logged, -1);
    mistake.settings = settings;
    const preview = parsePreview(Buffer.from(JSON.stringify(digestOf(this.planned, outcome, notes))));
    const asked = await this.asked(stack.name, states, held, preview);
    return reviewOf(
      this.distort({
        ...readSettings(() => undefined),
        preview,
        ...asked,
        ...{
          held,
          voiceQuota: options.quota,
          quotaCheck: "error",
          ...(stackQuota !== undefined && { stackQuota }),
          asking: { backend: "", accepted: idsOf(accepts) },
          namespace: "organization",
        },
        hasFile: (path) => stack.program.some(({ file, name }) => file && basename(path) === `${name}.wav`),
        nowMs: simulation.world.now,
      }),
    );
  }

  /** What the command line asks: the account, in the forms of the service's dialect, and the journal. */
  private async asked(
    stack: string,
    reader: StateReader,
    held: readonly { voice: string }[],
    { steps }: Preview,
  ): Promise<Pick<ReviewFacts, "account" | "doubt" | "unfinished" | "deletedVoices" | "doubtfulTasks">> {
    const { world, service, disk } = this.simulation;
    const processes = new Processes(world, new Random(1), undefined);
    const settings = settingsOf({ quota: service.options.quota, forms: service.dialect.forms }, this.mistake);
    const store = disk.journal(processes);
    const connected = connect(settings, { http: service.http(processes, false), clock: processes.clock });
    const journal = new Journal(store, processes.clock, () => undefined, settings);
    const earlier = new EarlierRuns({
      journal,
      states: new States(reader, stack),
      fingerprint: () => connected.voiceFingerprint(),
      startedAtMs: world.now,
    });
    const ofSteps = await createsIn(steps, earlier, journal, connected, stack).catch(() => ({}));
    const tasks = await doubtfulTasks(steps, settings, connected);
    return connected.account.voicesBeside(held.map(({ voice }) => voice)).then(
      ({ voices, doubt }) => ({ account: voices, doubt, ...ofSteps, doubtfulTasks: tasks }),
      (error: unknown) => ({ account: { unknown: describeThrown(error).message }, ...ofSteps }),
    );
  }
}

/** What there is after an operation, and what it did. */
export interface Result extends Seen {
  /** How many voices the account has. */
  existing: number;
  states: readonly { urn: string; id: string }[];
  passedGates: readonly { gate: string; name: string }[];
}

export interface RunFacts {
  run: Run;
  missing: number;
  /** A review of an update says what a refresh would ask. */
  asksAboutMissing: boolean;
  refresh: boolean;
  /** A refresh makes an alias valid: see `renamesAfterRefresh`. */
  renames: boolean;
  /** The engine leaves the old copy of a renamed resource that a target replaces to a later update. */
  isLimited: boolean;
  /** The voices of old copies, which no step shows. */
  oldCopies: string[];
}

/**
 * Whether a refresh takes a resource out of the state, so that the engine gives it another entry of the state: the entry
 * that its alias names. A preview does not show aliases, so the review does not know which resource the entry keeps.
 */
function renamesAfterRefresh(
  program: Program,
  entries: readonly Entry[],
  existing: readonly { voice: string }[],
): boolean {
  const live = entries.filter(({ isOld }) => !isOld);
  const has = (kind: Kind, name: string) => live.find((entry) => entry.kind === kind && nameOf(entry.urn) === name);
  return program.some(({ kind, name, aliases }) => {
    const own = has(kind, name);
    const isMissing = kind === "voice" && own !== undefined && !existing.some(({ voice }) => voice === own.id);
    return isMissing && aliases.some((alias) => has(kind, alias));
  });
}

function nothing(voices: number): Seen {
  return { voices: 0, images: 0, decisions: 0, peak: voices, deleted: new Set() };
}

/** The output of `pulumi preview --json --show-sames`. */
function digestOf(planned: PlannedStep[], { errors }: Outcome, notes: string[]) {
  const steps = planned.map(({ op, urn, old, inputs, reasons, deletesFirst, dependencies }) => {
    const type = urn.split("::")[2];
    const { outputs, id } = old ?? {};
    const oldState = old && { type, urn: old.urn, id, inputs: old.inputs, outputs };
    return {
      ...{ op, urn, replaceReasons: reasons },
      ...(oldState && { oldState: { ...oldState, ...(op === "replace" && { delete: deletesFirst !== true }) } }),
      ...(op !== "delete" && { newState: { type, inputs: inputs ?? old?.inputs, dependencies } }),
    };
  });
  const changeSummary: Record<string, number> = {};
  for (const { op } of steps) changeSummary[op] = (changeSummary[op] ?? 0) + 1;
  const diagnostics = [
    ...notes.map((message) => ({ message, severity: "warning" })),
    ...errors.map((message) => ({ message, severity: "error" })),
  ];
  return { steps, changeSummary, diagnostics };
}

/** Where the run differs from the review. */
function problems(
  review: Review,
  { end, errors }: Outcome,
  seen: Result,
  { run, missing, asksAboutMissing, refresh, renames, isLimited, oldCopies }: RunFacts,
): string[] {
  const code = exitCodeOf(review);
  const { charge, quota, changes } = review;
  const report = errors.join("\n");
  if ("unknown" in quota) return code === 1 ? [] : ["the account is not known"];
  // A preview does not show what the targets omit.
  if (isLimited && code === 1 && review.questions.length > 0) return [];
  if (asksAboutMissing && !refresh)
    return code === 1 || code === 3 ? [] : [`a question, and the review ends with ${code}`];
  if (end !== "ok") {
    // No step shows an old copy, and an update or a refresh looks it up.
    if (oldCopies.length > 0 && /does not prove that they are gone/.test(report)) return [];
    if (renames) return [];
    // The person asked for a refresh, which the review does not judge unless a voice is missing.
    if (run.refresh && missing === 0 && /Run `pulumi up` without --refresh/.test(report)) return [];
    if (review.errors.length > 0 && code !== 2 && code !== 0) return [];
    // What a new decision answers is not known before.
    const isAsked = changes.some(({ kind, action }) => kind === "decision" && action !== "update");
    if (isAsked && /do not meet the expectations/.test(report)) return [];
    // How the service answers a delete is not known before it is sent, and a new question may follow from it.
    const deletes = oldCopies.length > 0 || changes.some(({ action }) => action === "delete" || action === "replace");
    if (deletes && /does not say that the voice \S+ is deleted/.test(report)) return [];
    // A review does not read the journal's notes of image tasks.
    const creates = changes.some(
      ({ kind, action }) => kind === "image" && (action === "create" || action === "replace"),
    );
    if (creates && /reports the image task \S+ as UNKNOWN/.test(report)) return [];
    const expected = /VoiceQuotaExceeded|AllocationQuota/.test(report) ? 3 : 1;
    return code === expected || (code === 3 && expected === 1)
      ? []
      : [`the review ends with ${code}, and the update fails`];
  }
  const found = seen.passedGates
    .filter(
      ({ gate, name }) =>
        !review.notes.some((note) => note.includes(`the gate ${gate} is closed`) && note.includes(name)),
    )
    .map(({ gate, name }) => `${name} did not wait for the gate ${gate}, and the review does not say so`);
  const differ = (what: string, said: number, was: number) => {
    if (said !== was) found.push(`${what}: the review says ${said}, and it was ${was}`);
  };
  // A refresh may mend what the preview refused.
  const isPartial = missing > 0 && !refresh;
  // An update with targets does not notice that a resource outside them has the voice to adopt.
  // The journal may know that a voice of this name belongs to an unfinished create.
  const isOwn = changes.some(({ warning = "" }) => warning.includes("has the name of this resource"));
  const isAdopting = isLimited && changes.some(({ action, warning }) => action === "adopt" && warning !== undefined);
  // Whether a voice is adopted or taken again depends on what comes first.
  const isContested = changes.some(({ warning = "" }) => warning.startsWith("the update may fail"));
  const mayKeepOld = oldCopies.length > 0 && seen.voices < charge.voices;
  if (
    code !== (changes.length > 0 ? 2 : 0) &&
    !mayKeepOld &&
    !refresh &&
    !isPartial &&
    !isAdopting &&
    !isOwn &&
    !isContested
  )
    found.push(`the review ends with ${code}, and the update succeeds`);
  if (review.errors.length > 0) return found;
  if (isPartial)
    return seen.voices > charge.voices ? [...found, `${seen.voices} voices, more than the review says`] : found;
  // The voice of an old copy stays if its resource has the same content again.
  if (mayKeepOld) return found;
  // A voice that is created again may find one under its new name. The journal may know the task of a failed submission.
  if ((missing === 0 && !isOwn && !isContested) || seen.voices > charge.voices)
    differ("voices", charge.voices, seen.voices);
  differ("decisions", charge.decisions, seen.decisions);
  if (!refresh && seen.images > charge.imageTasks) differ("image tasks", charge.imageTasks, seen.images);
  if (seen.voices === charge.voices && !isLimited) differ("after", quota.after, seen.existing);
  if (seen.peak > quota.peak) differ("peak", quota.peak, seen.peak);
  // An old copy may go before anything is created.
  if (seen.voices === charge.voices && oldCopies.length === 0 && !changes.some(({ deletesFirst }) => deletesFirst))
    differ("peak", quota.peak, seen.peak);

  for (const { takes, urn, kind } of changes) {
    if (
      kind === "voice" &&
      takes !== undefined &&
      !seen.states.some((entry) => entry.urn === urn && entry.id === takes)
    )
      found.push(`${urn} does not have ${takes}`);
  }
  const ends = new Set(changes.filter(({ action }) => action === "replace" || action === "delete").map(({ id }) => id));
  for (const id of seen.deleted)
    if (!ends.has(id) && !oldCopies.includes(id)) found.push(`${id} was deleted, and the review does not say so`);
  return found;
}
