import { once } from "../../once";
import { type Account, clonedVoices } from "../../service/voices/account";

export interface Labelled {
  label: string;
}

/** Counts the voices that this process checked in this operation, those to create, and those paid for. */
export class VoiceCounts {
  private readonly told = new Set<string>();
  private readonly creates = new Set<string>();
  private readonly freedFirst = new Set<string>();
  /** How many voices this operation has paid for. */
  paid = 0;

  constructor(private readonly account: Pick<Account, "atStart">) {}

  /**
   * The number of voices in the first list. Not read again after a failure, because a preview of a thousand voices would
   * otherwise read the list a thousand times.
   */
  readonly now = once(async () => clonedVoices((await this.account.atStart()).voices).length);

  tell({ label }: Labelled): void {
    this.told.add(label);
  }

  create({ label }: Labelled): void {
    this.creates.add(label);
  }

  /** Records that the old voice of the resource is deleted before the new one is created. */
  freesFirst({ label }: Labelled): void {
    this.freedFirst.add(label);
  }

  get toldOf(): number {
    return this.told.size;
  }

  /** How many voices the resources checked so far create, and how many of them need room at once (`atPeak`). */
  get added(): { creates: number; atPeak: number } {
    const first = [...this.freedFirst].filter((label) => this.creates.has(label)).length;
    return { creates: this.creates.size, atPeak: this.creates.size - first };
  }
}
