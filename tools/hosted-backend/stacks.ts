import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { type Deployment, Journal, type JournalEntry } from "./journal";

/** An error of the service, in the form of `apitype.ErrorResponse`. */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

interface Update {
  id: string;
  kind: string;
  /** Authorises the calls of this update. */
  token: string;
  status: "not started" | "running" | "succeeded" | "failed" | "cancelled";
  journal: Journal | undefined;
  startTime: number;
  config: unknown;
}

/** A stack: its state, its secrets and its updates. */
export class HostedStack {
  readonly id = randomUUID();
  /** The full names before renames: the secrets of a state name the stack that encrypted them. */
  readonly formerNames: string[] = [];
  version = 0;
  tags: Record<string, string> = {};
  private saved: Deployment | undefined;
  private readonly key = randomBytes(32);
  private readonly updates: Update[] = [];

  constructor(
    readonly organization: string,
    public project: string,
    public name: string,
  ) {}

  get fullName(): string {
    return `${this.organization}/${this.project}/${this.name}`;
  }

  /** The URNs of the state are renamed too. */
  rename(project: string, name: string): void {
    this.assertNothingRuns();
    const [oldUrns, oldRoot] = [`urn:pulumi:${this.name}::${this.project}::`, `${this.project}-${this.name}"`];
    this.formerNames.push(this.fullName);
    Object.assign(this, { project, name });
    if (!this.saved) return;
    const state = JSON.stringify(this.saved)
      .replaceAll(oldUrns, `urn:pulumi:${name}::${project}::`)
      .replaceAll(`::pulumi:pulumi:Stack::${oldRoot}`, `::pulumi:pulumi:Stack::${project}-${name}"`);
    this.saved = JSON.parse(state) as Deployment;
  }

  get running(): Update | undefined {
    return this.updates.find(({ kind, status }) => status === "running" && kind !== "preview");
  }

  /** The state as the last call of an update left it. */
  get deployment(): Deployment | undefined {
    return this.running?.journal?.deployment() ?? this.saved;
  }

  /** Replaces the state, as `pulumi stack import` does. */
  import(deployment: Deployment): string {
    this.assertNothingRuns();
    this.saved = deployment;
    this.version++;
    const update = this.createUpdate("import", {});
    update.status = "succeeded";
    return update.id;
  }

  createUpdate(kind: string, config: unknown): Update {
    const update: Update = {
      ...{ id: randomUUID(), token: randomUUID(), kind, config },
      ...{ status: "not started", journal: undefined, startTime: Math.floor(Date.now() / 1000) },
    };
    this.updates.push(update);
    return update;
  }

  /** Gives the update the lease of the stack. A preview needs none. */
  start(id: string, withJournal: boolean): Update {
    const update = this.update(id);
    if (update.kind !== "preview") this.assertNothingRuns();
    update.status = "running";
    if (withJournal && update.kind !== "preview") update.journal = new Journal(this.saved ?? { resources: [] });
    return update;
  }

  assertNothingRuns(): void {
    if (this.running) throw new Refusal(409, "Conflict: Another update is currently in progress.");
  }

  /** The update, if it runs and the token is its own. */
  authorised(id: string, token: string): Update {
    const update = this.update(id);
    if (update.status !== "running") throw new Refusal(409, `The update is not running; it is ${update.status}.`);
    if (update.token !== token) throw new Refusal(401, "The lease token is not that of the update.");
    return update;
  }

  checkpoint(update: Update, deployment: Deployment | undefined): void {
    if (update.kind !== "preview") this.saved = deployment;
  }

  append(update: Update, entries: JournalEntry[]): void {
    if (!update.journal) throw new Refusal(400, "No journal was offered to this update.");
    for (const entry of entries) update.journal.add(entry);
  }

  /** Ends an update and its lease. The saved state stays. */
  end(id: string, status: "succeeded" | "failed" | "cancelled"): void {
    const update = this.update(id);
    if (update.status !== "running") return;
    if (update.journal) this.saved = update.journal.deployment();
    update.status = status;
    if (update.kind !== "preview") this.version++;
  }

  update(id: string): Update {
    const update = this.updates.find((each) => each.id === id);
    if (!update) throw new Refusal(404, "Not Found: Update not found");
    return update;
  }

  /** Ended updates, newest first. */
  history() {
    return this.updates
      .filter(({ kind, status }) => kind !== "preview" && status !== "not started" && status !== "running")
      .map(({ id, kind, status, startTime, config }, index) => ({
        info: { updateID: id, kind, startTime, endTime: startTime, message: "", environment: {}, config },
        result: status === "succeeded" ? "succeeded" : "failed",
        version: index + 1,
      }))
      .map(({ info, ...rest }) => ({ ...info, ...rest }))
      .reverse();
  }

  /** The service's secrets: both texts are base64. */
  encrypt(plaintext: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(plaintext, "base64"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64");
  }

  decrypt(ciphertext: string): string {
    const bytes = Buffer.from(ciphertext, "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("base64");
    } catch {
      throw new Refusal(400, "Bad Request: The text was not encrypted by this stack.");
    }
  }
}
