import { InputError } from "../errors";

const count = /^\d{1,9}$/;
export const countForms = { voices: count, images: count, decisions: count };
export type BilledKind = keyof typeof countForms;

/** Read from the environment only, so that no file of a change can set it. */
export const maxBilledVariable = "CLOUDVOICE_MAX_BILLED";

export function billedAtMost({ voices, imageTasks, decisions }: Record<"voices" | "imageTasks" | "decisions", number>) {
  return { [maxBilledVariable]: `voices=${voices},images=${imageTasks},decisions=${decisions}` };
}

/** The largest number of billed requests of each kind. A kind that the variable does not name has no limit. */
export type MostBilled = Partial<Record<BilledKind, number>>;

/** The numbers in a text as `voices=12,images=3`. Undefined if one has another form, or a name comes twice. */
export function numbersIn(text: string, forms: Readonly<Record<string, RegExp>>): Record<string, number> | undefined {
  const parts = text.split(",").map((part) => part.trim().split("="));
  const isRight = ([name = "", value = "", ...more]: string[]) =>
    more.length === 0 && Object.hasOwn(forms, name) && forms[name]?.test(value) === true;
  const isOnce = new Set(parts.map(([name]) => name)).size === parts.length;
  if (!isOnce || !parts.every(isRight)) return undefined;
  return Object.fromEntries(parts.map(([name = "", value = ""]) => [name, parseFloat(value)]));
}

export function mostBilledIn(environment: Record<string, string | undefined>): MostBilled {
  const value = environment[maxBilledVariable]?.trim() ?? "";
  const most = value === "" ? {} : numbersIn(value, countForms);
  if (most === undefined)
    throw new InputError(
      `${maxBilledVariable} is ${JSON.stringify(value.slice(0, 80))}, so nothing is sent. It must have at most one ` +
        `whole number for each of ${Object.keys(countForms).join(", ")}, as voices=12,images=3,decisions=5`,
    );
  return most;
}

/**
 * Limits the billed requests of one provider process, because an update may send more than its preview shows. It
 * prevents mistakes, but does not stop a person who has the key.
 */
export class BilledLimit {
  private readonly most: MostBilled;
  private readonly sent = new Map<BilledKind, number>();

  constructor(environment: Record<string, string | undefined>) {
    this.most = mostBilledIn(environment);
  }

  /** Counts a request before it is sent for the first time. Throws if the limit is reached. */
  count(kind: BilledKind): void {
    const sent = this.sent.get(kind) ?? 0;
    const most = this.most[kind] ?? Infinity;
    if (sent >= most)
      throw new InputError(
        `Nothing was sent: ${maxBilledVariable} allows ${most} ${kind} in one run, and this one asks for more. ` +
          "The update is not what was reviewed. Review it again. If it is right, raise the number",
      );
    this.sent.set(kind, sent + 1);
  }
}
