import { parsePreview } from "../../provider/src/cli/review/preview";
import { exitCodeOf, type Review, reviewOf } from "../../provider/src/cli/review/review";
import { type Plan, planVariable } from "../../provider/src/rules/plan-line";
import { readSettings } from "../../provider/src/rules/settings";
import type { Run, Scenario } from "./commands";
import type { Outcome, PlannedStep } from "./engine";
import { scenarioOf } from "./generate";
import type { Mistake } from "./provider";
import { quietSeconds } from "./run";
import { Simulation } from "./simulation";
import type { Entry } from "./state";
import { Random } from "./world";

/**
 * A review says what `up` then does: random programs and worlds. Before each update, a preview with the plan is reviewed,
 * and the update is compared with the review.
 */

type Plans = ReadonlyMap<string, Plan>;
type Distortion = (plans: Plans) => Plans;

/** Plans that a provider could write by mistake, which the comparison must find. */
export const reviewMistakes: Record<string, Distortion> = {
  "no voice is taken": (plans) => changed(plans, ({ takes: _, ...plan }) => plan),
  "nothing is asked": (plans) => changed(plans, (plan) => ({ ...plan, questions: [] })),
  "nothing fails": (plans) => changed(plans, ({ fails: _, ...plan }) => plan),
  "the account has no voices": (plans) =>
    changed(plans, ({ quota, ...plan }) => ({ ...plan, ...(quota && { quota: { ...quota, now: 0 } }) })),
};

const changed = (plans: Plans, change: (plan: Plan) => Plan): Plans =>
  new Map([...plans].map(([urn, plan]) => [urn, change(plan)]));

export function reviewScenario(seed: number): Scenario {
  const scenario = scenarioOf(seed);
  const random = new Random(seed ^ 0x2545f491);
  // Small quotas, because each kind of failure should happen.
  const quota = random.chance(0.5) ? 1000 : random.between(2, 6);
  return { ...scenario, service: { ...scenario.service, quota } };
}

export async function runReviews(scenario: Scenario, distort: Distortion = (plans) => plans) {
  const reviews = new Reviews(scenario, distort);
  const { world, log } = reviews.simulation;
  const work = async () => {
    // Processes that outlived their engine would bill during the update that is compared.
    let isDisturbed = false;
    for (const command of scenario.commands) {
      const isQuiet = command.do === "up" && !command.kill && !command.faults && !command.refresh;
      const isWhole = isQuiet && (command.targets ?? command.excludes ?? command.replaces) === undefined;
      if (isWhole) {
        if (isDisturbed) await reviews.simulation.wait(quietSeconds);
        isDisturbed = (await reviews.compare(command)) !== "ok";
      } else {
        await reviews.simulation.execute(command);
        isDisturbed ||= "seed" in command || "one" in command;
      }
    }
  };
  const violations = [...(await world.violationsUntil(work())), ...reviews.violations];
  return { compared: reviews.compared, violations, log };
}

/** What an update did, as the service saw it. */
interface Seen {
  voices: number;
  images: number;
  decisions: number;
  /** The voices of the account before the update. */
  before: number;
  peak: number;
  deleted: Set<string>;
}

const nothing = (before: number): Seen => ({
  ...{ voices: 0, images: 0, decisions: 0, before, peak: before, deleted: new Set() },
});

class Reviews {
  readonly simulation: Simulation;
  readonly violations: string[] = [];
  compared = 0;
  private readonly mistake: Mistake = {};
  private environment: NodeJS.ProcessEnv = {};
  private planned: PlannedStep[] = [];
  private seen = nothing(0);

  constructor(
    scenario: Scenario,
    private readonly distort: Distortion,
  ) {
    this.mistake.parts = (parts) => ({ ...parts, environment: this.environment });
    const called = (method: string, urn: string) => {
      if (method === "create" && urn.includes(":Decision::")) this.seen.decisions++;
    };
    this.simulation = new Simulation(scenario, this.mistake, called, (step) => this.planned.push(step));
    const { hooks } = this.simulation.service;
    const before = { ...hooks };
    const existing = () => this.simulation.service.existing().length;
    Object.assign(hooks, {
      billedVoice: (...args: Parameters<typeof before.billedVoice>) => {
        this.seen.voices++;
        this.seen.peak = Math.max(this.seen.peak, existing());
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
    } satisfies Partial<typeof hooks>);
  }

  /** Reviews the update, runs it, and reports each difference. */
  async compare(run: Run): Promise<Outcome["end"]> {
    const { simulation } = this;
    const review = await this.review(run);
    const { state } = simulation.person.stackAt(run.stack);
    const oldCopies = state.entries.filter(({ isOld }) => isOld).map(({ id }) => id);
    this.seen = nothing(simulation.service.existing().length);
    const outcome = await simulation.operate(run);
    this.compared++;
    const found = problems(review, outcome, this.seen, { oldCopies, entries: simulation.entries() });
    const changes = review.changes.map(
      ({ action, name, why, warning }) => `${action} ${name}: ${why} ${warning ?? ""}`,
    );
    const told = [...changes, ...review.errors, ...outcome.errors].join("\n  ");
    if (found.length > 0) this.violations.push(...found, told);
    return outcome.end;
  }

  private async review(run: Run): Promise<Review> {
    const { simulation } = this;
    this.planned = [];
    const logged = simulation.log.length;
    this.environment = { [planVariable]: "1" };
    const outcome = await simulation.operate({ ...run, do: "preview" });
    this.environment = {};
    const lines = simulation.log.slice(logged, -1).map((line) => line.trim());
    const preview = parsePreview(Buffer.from(JSON.stringify(digestOf(this.planned, outcome, lines))));
    const parts = { ...readSettings(() => undefined), nowMs: simulation.world.now };
    return reviewOf({ ...parts, preview: { ...preview, plans: this.distort(preview.plans) } });
  }
}

/** The output of `pulumi preview --json --show-sames`. */
function digestOf(planned: PlannedStep[], { errors }: Outcome, lines: string[]) {
  const steps = planned.map(({ op, urn, old, inputs, reasons, deletesFirst, dependencies }) => {
    const type = urn.split("::")[2];
    const oldState = old && { type, id: old.id, inputs: old.inputs, outputs: old.outputs };
    return {
      ...{ op, urn, replaceReasons: reasons },
      ...(oldState && { oldState: { ...oldState, ...(op === "replace" && { delete: deletesFirst !== true }) } }),
      ...(op !== "delete" && { newState: { type, inputs: inputs ?? old?.inputs, dependencies } }),
    };
  });
  const changeSummary: Record<string, number> = {};
  for (const { op } of steps) changeSummary[op] = (changeSummary[op] ?? 0) + 1;
  const diagnostics = [
    // The steps have the URNs of the first process.
    ...lines.map((line) => ({
      severity: "info",
      message: line.replace("cloudvoice:index:", "pulumi-nodejs:dynamic/cloudvoice:"),
    })),
    ...errors.map((message) => ({ severity: "error", message })),
  ];
  return { steps, changeSummary, diagnostics };
}

/** What no preview can know. */
const unforeseen = [
  /do not meet the expectations/,
  // How the service answers a delete.
  /does not say that the voice \S+ is deleted/,
  // A list that is late does not count the voices of the update before.
  /the account is full/,
  // Image tasks that only the journal knows.
  /reports the image task \S+ as UNKNOWN/,
  /its submission was answered with success, and the response was not understood/,
];

function problems(
  review: Review,
  { end, errors }: Outcome,
  seen: Seen,
  { oldCopies, entries }: { oldCopies: string[]; entries: Entry[] },
): string[] {
  const code = exitCodeOf(review);
  if (end !== "ok") {
    const report = errors.join("\n");
    return code !== 0 || unforeseen.some((each) => each.test(report)) ? [] : [`the review ends with 0: ${report}`];
  }
  if (code !== 0) return [`the review ends with ${code}, and the update succeeds`];
  const found: string[] = [];
  const differ = (what: string, said: number, was: number) => {
    if (said !== was) found.push(`${what}: the review says ${said}, and it was ${was}`);
  };
  const { charge, changes, goingVoices, quotas } = review;
  const missing = changes.filter(({ why }) => why.startsWith("missing at the service")).length;
  differ("voices", charge.voices - missing, seen.voices);
  differ("decisions", charge.decisions, seen.decisions);
  if (seen.images > charge.imageTasks) differ("image tasks", charge.imageTasks, seen.images);
  const [quota] = quotas;
  // Unless the list was late when the preview read it.
  if (quota?.now === seen.before && seen.peak > quota.peak) differ("peak", quota.peak, seen.peak);
  for (const { takes, urn, kind } of changes) {
    const isHeld = entries.some((entry) => entry.urn === urn && entry.id === takes);
    if (kind === "voice" && takes !== undefined && !isHeld) found.push(`${urn} does not have ${takes}`);
  }
  const unsure = changes.flatMap(({ unsure: isUnsure, id }) => (isUnsure && id !== undefined ? [id] : []));
  const going = new Set([...goingVoices.map(({ voice }) => voice), ...unsure]);
  for (const id of seen.deleted)
    if (!going.has(id) && !oldCopies.includes(id)) found.push(`${id} was deleted, and the review does not say so`);
  return found;
}
