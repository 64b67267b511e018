import { InputError } from "../errors";

const kinds = ["voices", "images", "decisions"] as const;
export type BilledKind = (typeof kinds)[number];

/** Read from the environment only, so that no file of a change can set it. */
const variable = "CLOUDVOICE_MAX_BILLED";

export function billedAtMost({ voices, imageTasks, decisions }: Record<"voices" | "imageTasks" | "decisions", number>) {
  return { [variable]: `voices=${voices},images=${imageTasks},decisions=${decisions}` };
}

/**
 * Limits the billed requests of one provider process, because an update may send more than its preview shows. It
 * prevents mistakes, but does not stop a person who has the key. Kinds that the variable does not name have no limit.
 */
export class BilledLimit {
  private readonly most: ReadonlyMap<string, number>;
  private readonly sent = new Map<BilledKind, number>();

  constructor(environment: Record<string, string | undefined>) {
    const value = environment[variable]?.trim() ?? "";
    const parts = value === "" ? [] : value.split(",").map((part) => /^\s*(\w+)=(\d{1,9})\s*$/.exec(part) ?? []);
    this.most = new Map(parts.map(([, kind = "", count]) => [kind, Number(count)]));
    const isRight = [...this.most.keys()].every((kind) => kinds.some((each) => each === kind));
    if (!isRight || this.most.size < parts.length)
      throw new InputError(
        `${variable} is ${JSON.stringify(value.slice(0, 80))}, so nothing is sent. It must have at most one ` +
          `whole number for each of ${kinds.join(", ")}, as voices=12,images=3,decisions=5`,
      );
  }

  /** Counts a request before it is sent for the first time. Throws if the limit is reached. */
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
