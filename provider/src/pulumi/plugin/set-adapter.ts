import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { InputError } from "../../errors";
import { isSame } from "../../rules/inputs";
import { isRecord } from "../../rules/is-record";
import { nameInUrn } from "../../rules/resource-types";
import { voiceInputs } from "../../rules/voice-inputs";
import type { SetInputs, SetState } from "../../rules/voice-set";
import { checkForEngine, type Props } from "../provider/lifecycle";
import type { SetResource } from "../provider/voice-set/entry";
import type { SetLifecycle } from "../provider/voice-set/set-lifecycle";
import { savingPartialState, withPortablePaths } from "./adapter";
import { CalledResources, RunningCreates } from "./called";
import { assertKnown, decodeDeep, encodeDeep, type PropertyPath } from "./values";

/** Adapts the life cycle of a `VoiceSet` to the protocol of native plugins. Secrets are marked at fields of entries. */
export class SetAdapter {
  /** The inputs that `check` accepted, by URN. */
  private readonly checked = new Map<string, object>();
  private readonly creating = new RunningCreates<{ state: SetState }>();
  private readonly resources: CalledResources;

  constructor(
    private readonly lifecycle: SetLifecycle,
    provider: string,
  ) {
    this.resources = new CalledResources(provider);
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const { urn, props, secretPaths, resource } = this.called(request, request.getNews());
    const { identity: _, ...given } = withoutNulls(props);
    const olds = decodeDeep(request.getOlds()).props;
    const { inputs, failures } = await checkForEngine(this.lifecycle, portable(given), olds, resource, new Set());
    this.checked.set(urn, inputs);
    const response = new rpc.CheckResponse().setInputs(encodeDeep(inputs, secretPaths));
    for (const { property, reason } of failures)
      response.addFailures(new rpc.CheckFailure().setProperty(property).setReason(reason));
    return response;
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { props, resource } = this.called(request, request.getNews());
    const olds = decodeDeep(request.getOlds()).props as unknown as SetState;
    const news = props as unknown as SetInputs;
    const { updates, changes } = await this.lifecycle.diff(request.getId(), olds, news, resource, new Set());
    const response = new rpc.DiffResponse().setHasdetaileddiff(true).setDiffsList(changes.length > 0 ? ["voices"] : []);
    response.setChanges(rpc.DiffResponse.DiffChanges[updates ? "DIFF_SOME" : "DIFF_NONE"]);
    for (const { path, kind, isOutput } of changes)
      response
        .getDetaileddiffMap()
        .set(path, new rpc.PropertyDiff().setKind(rpc.PropertyDiff.Kind[kind]).setInputdiff(isOutput !== true));
    return response;
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const { urn, props, secretPaths, resource } = this.called(request, request.getProperties());
    const news = props as unknown as SetInputs;
    const encoded = encoder(secretPaths, news);
    if (request.getPreview())
      return new rpc.CreateResponse().setProperties(encoded(await this.lifecycle.plan({}, news, resource)));
    this.assertChecked(urn, props);
    const create = () => this.lifecycle.create(news, resource);
    const { state } = await savingPartialState(encoded, () => this.creating.share(urn, props, create));
    return new rpc.CreateResponse().setId(resource.name).setProperties(encoded(state));
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const { urn, props, secretPaths, resource } = this.called(request, request.getNews());
    const olds = decodeDeep(request.getOlds()).props as unknown as SetState;
    const news = props as unknown as SetInputs;
    const encoded = encoder(secretPaths, news);
    if (request.getPreview())
      return new rpc.UpdateResponse().setProperties(encoded(await this.lifecycle.plan(olds, news, resource)));
    this.assertChecked(urn, props);
    const update = () => this.lifecycle.update(request.getId(), olds, news, resource);
    return new rpc.UpdateResponse().setProperties(encoded(await savingPartialState(encoded, update)));
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const { props, secretPaths, resource } = this.called(request, request.getProperties(), request.getInputs());
    if (Object.keys(props).length === 0) await this.lifecycle.import(request.getId());
    const found = await this.lifecycle.read(request.getId(), props as unknown as SetState, resource);
    const response = new rpc.ReadResponse().setId(request.getId()).setInputs(request.getInputs());
    return response.setProperties(encodeDeep(found ?? {}, secretPaths));
  }

  async delete(request: rpc.DeleteRequest): Promise<Empty> {
    const { props, resource } = this.called(request, request.getProperties());
    await this.lifecycle.delete(request.getId(), props as unknown as SetState, resource);
    return new Empty();
  }

  /**
   * The resource that a call concerns, and its properties. `inputs`: the properties whose marks show which are secret.
   */
  private called(
    request: { getUrn(): string; getId?(): string; getIgnorechangesList?(): string[] },
    properties: Parameters<typeof decodeDeep>[0],
    inputs = properties,
  ) {
    const { props, secretPaths } = decodeDeep(properties);
    const marked = inputs === properties ? secretPaths : decodeDeep(inputs).secretPaths;
    const secretsOf = secretsOfEntries(marked);
    const resource: SetResource = {
      ...this.resources.of(request, props),
      secrets: new Set(marked.map(([property = ""]) => property)),
      secretsOf: (key) => new Set(secretsOf(key).map(([field = ""]) => field)),
      ignored: request.getIgnorechangesList?.() ?? [],
    };
    return { urn: request.getUrn(), props, secretPaths, resource };
  }

  /**
   * Throws for inputs that differ from the result of `check`. Workaround: a policy of the level `remediate` changes
   * them, and other callers may.
   */
  private assertChecked(urn: string, props: Props): void {
    assertKnown(nameInUrn(urn), props);
    if (isSame(this.checked.get(urn), props)) return;
    throw new InputError(`${nameInUrn(urn)}: a policy (remediate) changed its inputs after the check`, {
      advice: "Set the value in the program, and let the policy only require it.",
    });
  }
}

const allFields = Object.keys(voiceInputs.shape);

/** Returns the paths of the secrets in an entry: given in the entry itself or in `defaults`. */
function secretsOfEntries(paths: readonly PropertyPath[]): (key: string) => PropertyPath[] {
  const shared: PropertyPath[] = [];
  const byKey = new Map<string, PropertyPath[]>();
  for (const [property = "", ...path] of paths) {
    const [key, ...pathInEntry] = path;
    if (property === "defaults") shared.push(...fieldsOf(path));
    else if (!["voices", "made"].includes(property)) continue;
    else if (key === undefined) shared.push(...fieldsOf([]));
    else byKey.set(key, [...(byKey.get(key) ?? []), ...fieldsOf(pathInEntry)]);
  }
  return (key) => [...shared, ...(byKey.get(key) ?? [])];
}

/** If a whole entry is secret, each of its fields is. */
function fieldsOf(pathInEntry: PropertyPath): PropertyPath[] {
  return pathInEntry.length > 0 ? [pathInEntry] : allFields.map((name) => [name]);
}

/** Encodes outputs. If an input of an entry is secret, so is its value in `made`, `voices` and `manifest`. */
function encoder(paths: readonly PropertyPath[], { voices }: SetInputs) {
  const secretsOf = secretsOfEntries(paths);
  const marked = (isRecord(voices) ? Object.keys(voices) : []).flatMap((key) =>
    secretsOf(key).flatMap((path) => ["made", "voices", "manifest"].map((property) => [property, key, ...path])),
  );
  return (state: Partial<SetState>) => {
    // It is not known which inputs of a superseded voice were secret, so mark all.
    const superseded = marked.length === 0 ? [] : (state.superseded ?? []);
    const old = superseded.flatMap((_, index) => allFields.map((field) => ["superseded", `${index}`, "state", field]));
    return encodeDeep(state, [...marked, ...old]);
  };
}

/** A field that is null is absent. */
function withoutNulls(props: Props): Props {
  const given = Object.entries(props).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, isRecord(value) ? withoutNulls(value) : value]));
}

/** Converts paths of recordings to their saved form. */
function portable(props: Props): Props {
  const paths = (entry: unknown) => (isRecord(entry) ? withPortablePaths(entry) : entry);
  const { voices, defaults } = props;
  return {
    ...props,
    ...(isRecord(voices) && {
      voices: Object.fromEntries(Object.entries(voices).map(([key, entry]) => [key, paths(entry)])),
    }),
    ...(defaults !== undefined && { defaults: paths(defaults) }),
  };
}
