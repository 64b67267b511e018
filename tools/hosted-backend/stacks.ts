import { randomUUID } from "node:crypto";

/** A deployment, as far as the tests read it. The rest is passed on as it came. */
export interface Deployment extends Record<string, unknown> {
  resources?: { urn: string }[];
  pending_operations?: unknown[];
}

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
}

/** A stack: its state, its secrets and its updates. */
export class HostedStack {
  readonly id = randomUUID();
  /** The full names before renames: the secrets of a state name the stack that encrypted them. */
  readonly formerNames: string[] = [];
  version = 0;
  /** The state as the last call of an update left it. */
  deployment: Deployment | undefined;
  private readonly updates: Update[] = [];

  constructor(
    readonly organization: string,
    readonly project: string,
    readonly name: string,
  ) {}

  get fullName(): string {
    return `${this.organization}/${this.project}/${this.name}`;
  }

  get running(): Update | undefined {
    return this.updates.find(({ kind, status }) => status === "running" && kind !== "preview");
  }

  /** Replaces the state, as `pulumi stack import` does. */
  import(deployment: Deployment): string {
    this.assertNothingRuns();
    this.deployment = deployment;
    this.version++;
    const update = this.createUpdate("import");
    update.status = "succeeded";
    return update.id;
  }

  createUpdate(kind: string): Update {
    const update: Update = { id: randomUUID(), token: randomUUID(), kind, status: "not started" };
    this.updates.push(update);
    return update;
  }

  /** Gives the update the lease of the stack. A preview needs none. */
  start(id: string): Update {
    const update = this.update(id);
    if (update.kind !== "preview") this.assertNothingRuns();
    update.status = "running";
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
    if (update.kind !== "preview") this.deployment = deployment;
  }

  /** Ends an update and its lease. The saved state stays. */
  end(id: string, status: "succeeded" | "failed" | "cancelled"): void {
    const update = this.update(id);
    if (update.status !== "running") return;
    update.status = status;
    if (update.kind !== "preview") this.version++;
  }

  update(id: string): Update {
    const update = this.updates.find((each) => each.id === id);
    if (!update) throw new Refusal(404, "Not Found: Update not found");
    return update;
  }

  /** The service's secrets, which another stack can't read. Both texts are base64. */
  encrypt(plaintext: string): string {
    return Buffer.from(`${this.id} ${plaintext}`).toString("base64");
  }

  decrypt(ciphertext: string): string {
    const [id, plaintext = ""] = Buffer.from(ciphertext, "base64").toString().split(" ");
    if (id !== this.id) throw new Refusal(400, "Bad Request: The text was not encrypted by this stack.");
    return plaintext;
  }
}
