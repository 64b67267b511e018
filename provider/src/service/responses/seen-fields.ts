import { createHmac } from "node:crypto";
import * as z from "zod";
import { invisible, visible } from "../../rules/visible";
import type { Field } from "./harmless";
import type { Path } from "./fields";

/** More than the fields of any list, and the values of any mark. They bound what a hostile service can make us keep. */
const mostPaths = 500;
const mostValues = 8;
const varies = "varies";

const savedForm = z.object({
  fields: z.record(z.string(), z.string()),
  container: z.array(z.string()).optional(),
});

/** The store of an account's seen fields, as one text. */
export interface SeenStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/**
 * What the account's lists with voices in them contained beside the voices. For each field, by a keyed hash of its
 * path: the keyed hashes of its values, and whether it is a time, an id or a number that varies. A field with such a
 * value means no more in a later response than it did in those lists. Kept beside the journal's notes, without expiry.
 */
export class SeenFields {
  private readonly fields = new Map<string, string[]>();
  /** Where the voices were. */
  container: Path | undefined;
  private loading: Promise<void> | undefined;
  private isChanged = false;

  constructor(
    private readonly key: () => string,
    private readonly store?: SeenStore,
  ) {}

  /** What earlier operations stored. If it can't be read, it is learnt again. */
  load(): Promise<void> {
    return (this.loading ??= (async () => {
      const text = await this.store?.read().catch(() => undefined);
      const saved = savedForm.safeParse(parsed(text));
      if (!saved.success) return;
      for (const [path, hashes] of Object.entries(saved.data.fields).slice(0, mostPaths))
        this.fields.set(path, hashes.split(","));
      this.container = saved.data.container?.map(invisible);
    })());
  }

  has({ path, value }: Field): boolean {
    const seen = this.fields.get(this.hashOf(path)) ?? [];
    return seen.includes(this.hashOf(value)) || (seen.includes(varies) && isShortLived(value));
  }

  /** Whether there were such lists, and none of them had this field. */
  lacks({ path }: Field): boolean {
    return this.fields.size > 0 && this.fields.size < mostPaths && !this.fields.has(this.hashOf(path));
  }

  /** Records the fields of a list with voices in it. */
  learn(fields: readonly Field[], container: Path): void {
    if (JSON.stringify(this.container) !== JSON.stringify(container)) this.isChanged = true;
    this.container = container;
    for (const { path, value } of fields) {
      const name = this.hashOf(path);
      const before = this.fields.get(name) ?? [];
      const isFull = before.length >= mostValues || (before.length === 0 && this.fields.size >= mostPaths);
      const seen = before.length > 0 && isShortLived(value) ? varies : this.hashOf(value);
      if (isFull || this.has({ path, value }) || before.includes(seen)) continue;
      this.fields.set(name, [...before, seen]);
      this.isChanged = true;
    }
  }

  /** A failure loses nothing: it is learnt again. */
  async save(): Promise<void> {
    if (!this.isChanged || this.store === undefined) return;
    this.isChanged = false;
    const { container } = this;
    const text = JSON.stringify({
      fields: Object.fromEntries([...this.fields].map(([path, hashes]) => [path, hashes.join()])),
      ...(container && { container: container.map(visible) }),
    });
    await this.store.write(text).catch(() => undefined);
  }

  private hashOf(value: unknown): string {
    return createHmac("sha256", this.key()).update(JSON.stringify(value)).digest("hex").slice(0, 16);
  }
}

/** A number, a time or an id, which differs in each response. A new word, in contrast, says something new. */
function isShortLived(value: unknown): boolean {
  if (typeof value === "number") return true;
  if (typeof value !== "string" || !/\d/.test(value)) return false;
  return !/\s/.test(value) ? value.length >= 10 : !Number.isNaN(Date.parse(value));
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
