import { InputError } from "../errors";

const kinds = ["voices", "images", "decisions"] as const;
export type BilledKind = (typeof kinds)[number];

/** Only the environment can set it, so that no file of a change can. */
const variable = "CLOUDVOICE_MAX_BILLED";

/** The variable that bounds an update to these numbers. */
export function billedAtMost(charge: {
  voices: number;
  imageTasks: number;
  decisions: number;
}): Record<string, string> {
  return { [variable]: `voices=${charge.voices},images=${charge.imageTasks},decisions=${charge.decisions}` };
}

/**
 * The limit for the billed requests of one provider process. A preview need not show everything that the update will
 * send. The limit bounds mistakes, and not a person who has the key. A kind that the variable leaves out is not
 * bounded.
 */
export class BilledLimit {
  private readonly most: ReadonlyMap<string, number>;
  private readonly sent = new Map<BilledKind, number>();

  constructor(environment: Record<string, string | undefined>) {
    const given = environment[variable]?.trim() ?? "";
    const parts = given === "" ? [] : given.split(",").map((part) => /^\s*(\w+)=(\d{1,9})\s*$/.exec(part) ?? []);
    this.most = new Map(parts.map(([, kind = "", count]) => [kind, Number(count)]));
    const isRight = [...this.most.keys()].every((kind) => kinds.some((known) => known === kind));
    if (!isRight || this.most.size < parts.length)
      throw new InputError(
        `${variable} is ${JSON.stringify(given.slice(0, 80))}, and nothing is sent: it must have whole numbers for any of ` +
          `${kinds.join(", ")}, each once, as voices=12,images=3,decisions=5`,
      );
  }

  /** Called once for each request, before it is sent for the first time. */
  count(kind: BilledKind): void {
    const sent = this.sent.get(kind) ?? 0;
    const most = this.most.get(kind) ?? Infinity;
    if (sent >= most)
      throw new InputError(
        `Nothing was sent: ${variable} allows ${most} ${kind} in one run, and this one asks for more. The update is not what was ` +
          "reviewed. Review it again, and raise the number if it is right",
      );
    this.sent.set(kind, sent + 1);
  }
}
