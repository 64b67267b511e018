/** The parts of a deployment that a journal changes. Other fields are passed on unchanged. */
export interface Deployment extends Record<string, unknown> {
  resources?: Resource[];
  pending_operations?: Operation[];
  secrets_providers?: unknown;
}

interface Resource extends Record<string, unknown> {
  urn: string;
  parent?: string;
  dependencies?: string[] | null;
  propertyDependencies?: Record<string, string[] | null> | null;
  replaceWith?: string[];
  deletedWith?: string;
  delete?: boolean;
  pendingReplacement?: boolean;
}

interface Operation extends Record<string, unknown> {
  type: string;
}

/** `apitype.JournalEntry` in sdk/v3 of Pulumi 3.259. */
export interface JournalEntry {
  kind: number;
  operationID: number;
  removeOld?: number | null;
  removeNew?: number | null;
  pendingReplacementOld?: number;
  pendingReplacementNew?: number;
  deleteOld?: number;
  deleteNew?: number;
  state?: Resource;
  operation?: Operation;
  isRefresh?: boolean;
  secretsProvider?: unknown;
  newSnapshot?: Deployment;
}

const kinds = {
  begin: 0,
  success: 1,
  failure: 2,
  refreshSuccess: 3,
  outputs: 4,
  write: 5,
  secretsManager: 6,
  rebuiltBaseState: 7,
};

type OldChange = "remove" | "mark for deletion" | "mark for replacement" | { replaceBy: Resource };

/** Applies the journal of an update to the deployment before it, as `JournalReplayer` in pkg/v3/backend. */
export class Journal {
  /** Changes of resources before the update, by their index. */
  private readonly changes = new Map<number, OldChange[]>();
  /** Resources of the update, by operation. A removed one is `undefined`. */
  private readonly news = new Map<number, Resource | undefined>();
  private readonly unfinished = new Map<number, Operation | undefined>();
  private hasRefresh = false;

  constructor(private base: Deployment) {}

  add(entry: JournalEntry): void {
    const { kind, operationID, state, removeOld, removeNew } = entry;
    if (entry.isRefresh === true || kind === kinds.refreshSuccess) this.hasRefresh = true;
    switch (kind) {
      case kinds.begin:
        this.unfinished.set(operationID, entry.operation);
        return;
      case kinds.failure:
        this.unfinished.delete(operationID);
        return;
      case kinds.success:
        this.unfinished.delete(operationID);
        if (state) this.news.set(operationID, { ...state });
        this.change(removeOld, "remove");
        if (isSet(removeNew)) this.news.set(removeNew, undefined);
        this.change(entry.deleteOld, "mark for deletion");
        this.change(entry.pendingReplacementOld, "mark for replacement");
        this.markNew(entry.deleteNew, { delete: true });
        this.markNew(entry.pendingReplacementNew, { pendingReplacement: true });
        return;
      case kinds.refreshSuccess:
        this.unfinished.delete(operationID);
        this.change(removeOld, state ? { replaceBy: state } : "remove");
        if (isSet(removeNew)) this.news.set(removeNew, state);
        return;
      case kinds.outputs:
        if (state) this.change(removeOld, { replaceBy: state });
        if (state && isSet(removeNew)) this.news.set(removeNew, state);
        return;
      case kinds.write:
        this.base = entry.newSnapshot ?? {};
        return;
      case kinds.secretsManager:
        this.base = { ...this.base, secrets_providers: entry.secretsProvider };
        return;
      case kinds.rebuiltBaseState:
        this.base = this.deployment();
        for (const map of [this.changes, this.news, this.unfinished]) map.clear();
        return;
      default:
        throw new Error(`The journal entry has the kind ${kind}, which the stand-in does not know.`);
    }
  }

  deployment(): Deployment {
    const olds = (this.base.resources ?? []).flatMap((resource, index) => this.changed(resource, index));
    const news = [...this.news.values()].filter((resource) => resource !== undefined);
    const resources = [...news, ...olds];
    const creating = (this.base.pending_operations ?? []).filter(({ type }) => type === "creating");
    const begun = [...this.unfinished.values()].filter((operation) => operation !== undefined);
    return {
      ...this.base,
      resources: this.hasRefresh ? withoutDangling(resources) : resources,
      pending_operations: [...begun, ...creating],
    };
  }

  private change(index: number | null | undefined, change: OldChange): void {
    if (isSet(index)) this.changes.set(index, [...(this.changes.get(index) ?? []), change]);
  }

  private markNew(operation: number | undefined, mark: Partial<Resource>): void {
    const resource = operation === undefined ? undefined : this.news.get(operation);
    if (resource) Object.assign(resource, mark);
  }

  /** Applies several changes of one resource: a removal wins over a replacement. */
  private changed(resource: Resource, index: number): Resource[] {
    const changes = this.changes.get(index) ?? [];
    if (changes.includes("remove")) return [];
    const replacement = changes.findLast((change) => typeof change === "object");
    if (replacement) return [replacement.replaceBy];
    return [
      {
        ...resource,
        ...(changes.includes("mark for deletion") && { delete: true }),
        ...(changes.includes("mark for replacement") && { pendingReplacement: true }),
      },
    ];
  }
}

/** Removes dependencies on resources that a refresh removed. */
function withoutDangling(resources: Resource[]): Resource[] {
  const before = new Set<string>();
  const parents = new Map<string, string>();
  const existing = (urns: string[] | null | undefined) => urns?.filter((urn) => before.has(urn)) ?? [];
  return resources.map((resource) => {
    const { urn, parent, dependencies, propertyDependencies, replaceWith, deletedWith, ...rest } = resource;
    const keptParent = parent === undefined || before.has(parent) ? parent : parents.get(parent);
    const kept: Resource = {
      ...{ urn, ...rest },
      ...(keptParent !== undefined && { parent: keptParent }),
      ...(dependencies && { dependencies: existing(dependencies) }),
      ...(propertyDependencies && {
        propertyDependencies: Object.fromEntries(
          Object.entries(propertyDependencies).map(([property, urns]) => [property, existing(urns)]),
        ),
      }),
      ...(replaceWith && { replaceWith: existing(replaceWith) }),
      ...(deletedWith !== undefined && before.has(deletedWith) && { deletedWith }),
    };
    before.add(urn);
    if (keptParent !== undefined) parents.set(urn, keptParent);
    return kept;
  });
}

function isSet(index: number | null | undefined): index is number {
  return index !== undefined && index !== null;
}
