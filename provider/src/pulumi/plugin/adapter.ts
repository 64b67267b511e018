import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { changedInputs } from "../../rules/inputs";
import { isRecord } from "../../rules/is-record";
import { dynamicUrn } from "../../rules/resource-types";
import { splitUnknown, unknownValue } from "../../rules/unknown";
import { withoutHidden } from "../provider/dynamic-resources";
import { withoutProviderText } from "../provider/host";
import { InitializationFailed, type Props, type Resource } from "../provider/lifecycle";
import { resourceLabel, type ToldIdentity } from "../shared/identity";
import { withRelativePaths } from "../shared/program-path";
import { initializationError } from "./errors";
import type { PluginResource } from "./resources";
import { decode, encode } from "./values";

/** Adapts the life cycles to the protocol of native plugins. */
export class Adapter {
  /** The URNs of the resources that this operation imports, or reads with `CloudVoice.get`. */
  private readonly imported = new Set<string>();
  /** What the program told of a resource in this operation. */
  private readonly told = new Map<string, ToldIdentity>();

  constructor(
    private readonly definition: (urn: string) => PluginResource,
    private readonly namespace: string | undefined,
    private readonly provider: string,
  ) {}

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const { definition, urn } = this.called(request);
    const { props: given, secrets } = decode(request.getNews());
    const { identity, ...props } = withPortablePaths(given);
    if (isRecord(identity)) this.told.set(urn, identity);
    const { known, unknown } = splitUnknown(props);
    const olds = stateIn(request.getOlds());
    const resource = this.resource(urn, definition, secrets, {
      // The program gives no hash of the recording, so `ignoreChanges` has put the old one back.
      keepsRecording: olds.audio !== undefined && known.audioSha256 !== undefined,
    });
    const before = Object.keys(olds).length === 0 ? undefined : olds;
    const { inputs, failures } = await definition.lifecycle.check(known, before, resource, unknown);
    const placeholders = Object.fromEntries([...unknown].map((name) => [name, unknownValue]));
    const response = new rpc.CheckResponse().setInputs(encode({ ...placeholders, ...inputs }, secrets));
    for (const { property, reason } of failures) {
      // A failure may name a part of an input: `triggers[0]`.
      const [input = ""] = property.split(/[.[]/, 1);
      const isMissing = !(input in known) && !unknown.has(input);
      // Nobody knows the recording of an imported voice, or the prompt of an imported image.
      if (isMissing && property !== "" && this.imported.has(urn)) continue;
      response.addFailures(new rpc.CheckFailure().setProperty(property).setReason(reason));
    }
    return response;
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { definition, urn } = this.called(request);
    const { lifecycle, schema } = definition;
    const { props: given, secrets } = decode(request.getNews());
    const olds = declaredState(request, definition, given);
    const { known, unknown } = splitUnknown(keepIgnoredAudio(request, given, olds));
    const resource = this.resource(urn, definition, secrets);
    const isImport = this.imported.has(urn);
    // The engine calls no `diff` for `CloudVoice.get`. It calls none for `pulumi import` either, which changes and
    // deletes no other resource.
    if (isImport) await lifecycle.claimImport?.(request.getId(), resource);
    // An import fails if anything differs, so what has to be updated waits for the next operation.
    const { replaces, updates } = isImport
      ? { replaces: changedInputs(schema, "replaces", olds, known, unknown), updates: false }
      : await lifecycle.diff(request.getId(), olds, known, resource, unknown);
    const changed = updates ? changedInputs(schema, "updates", olds, known, unknown) : [];
    // A resource that came from the dynamic provider still has the text that named its code there.
    const moved = "__provider" in decode(request.getOlds()).props ? ["__provider"] : [];
    const outputs = updates && changed.length === 0 ? namesOf(definition.unfinishedOutput) : [];
    return diffResponse({ replaces, updates: [...changed, ...outputs, ...moved] }, olds, given);
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const { definition, urn } = this.called(request);
    const { props, secrets } = decode(request.getProperties());
    const secretFields = withDerivedOutputs(definition, secrets);
    if (request.getPreview()) {
      const outputs = Object.fromEntries(definition.outputs.map((name) => [name, unknownValue]));
      return new rpc.CreateResponse().setProperties(encode({ ...outputs, ...props }, secretFields));
    }
    const resource = this.resource(urn, definition, secrets, {}, request.getTimeout());
    const { id, state } = await savingPartialState(secretFields, () => definition.lifecycle.create(props, resource));
    return new rpc.CreateResponse().setId(id).setProperties(encode(state, secretFields));
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const { definition, urn } = this.called(request);
    const { props, secrets } = decode(request.getNews());
    const secretFields = withDerivedOutputs(definition, secrets);
    const olds = stateIn(request.getOlds());
    if (request.getPreview()) {
      const unknown = namesOf(definition.unfinishedOutput);
      const outputs = definition.outputs.filter((name) => name in olds || unknown.includes(name));
      const outs = outputs.map((name) => [name, unknown.includes(name) ? unknownValue : olds[name]] as const);
      return new rpc.UpdateResponse().setProperties(encode({ ...Object.fromEntries(outs), ...props }, secretFields));
    }
    const inputs = keepIgnoredAudio(request, props, olds);
    const resource = this.resource(urn, definition, secrets, {}, request.getTimeout());
    const state = await savingPartialState(secretFields, () =>
      definition.lifecycle.update(request.getId(), olds, inputs, resource),
    );
    return new rpc.UpdateResponse().setProperties(encode(state, secretFields));
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const { definition, urn } = this.called(request);
    const { props, secrets } = decode(request.getProperties());
    const response = new rpc.ReadResponse();
    if (Object.keys(props).length === 0) {
      // An import, or `CloudVoice.get`: the engine knows the id only.
      const found = await definition.lifecycle.import(request.getId());
      if (found === undefined) return response;
      this.imported.add(urn);
      return response.setId(request.getId()).setProperties(encode(found.state)).setInputs(encode(found.inputs));
    }
    const resource = this.resource(urn, definition, secrets);
    const found = await definition.lifecycle.read(request.getId(), stateOf(props), resource);
    if (found === undefined) return response;
    // The engine keeps the inputs that it has.
    return response.setId(request.getId()).setProperties(encode(found, secrets)).setInputs(request.getInputs());
  }

  async delete(request: rpc.DeleteRequest): Promise<Empty> {
    const { definition, urn } = this.called(request);
    const { props, secrets } = decode(request.getProperties());
    await definition.lifecycle.delete(request.getId(), stateOf(props), this.resource(urn, definition, secrets));
    return new Empty();
  }

  private called(request: { getUrn(): string }) {
    const urn = request.getUrn();
    return { definition: this.definition(urn), urn };
  }

  private resource(
    urn: string,
    definition: PluginResource,
    secrets: ReadonlySet<string>,
    { keepsRecording = false } = {},
    timeoutSeconds = 0,
  ): Resource {
    const name = urn.slice(urn.lastIndexOf("::") + 2);
    const { organization, declared, protect = false, deleteBeforeReplace = false } = this.told.get(urn) ?? {};
    return {
      name,
      label: resourceLabel(name, dynamicUrn(urn)),
      identity: {
        // In a backend of one's own, the organization always has this name.
        namespace: this.namespace ?? organization ?? "organization",
        ...(organization !== undefined && { organization }),
        ...(typeof declared === "string" && { declared }),
        urn: dynamicUrn(urn),
        savedUrn: urn,
        provider: this.provider,
      },
      secrets: withDerivedOutputs(definition, secrets),
      // The engine puts back what is ignored, and does not tell a plugin the other options.
      options: { protect, deleteBeforeReplace, ignoresEverything: false, keepsRecording },
      ...(timeoutSeconds > 0 && { timeoutSeconds }),
    };
  }
}

/**
 * The state to compare with. The state of an imported resource lacks what nobody knew of it. The values that are declared
 * first are believed: those of this program, and later those that the engine has as the old inputs.
 */
function declaredState(request: rpc.DiffRequest, definition: PluginResource, news: Props): Props {
  const state = stateIn(request.getOlds());
  const oldInputs = decode(request.getOldInputs()).props;
  const declared = definition.mainInput in oldInputs ? oldInputs : news;
  const believed = definition.believed.filter((name) => name in declared);
  const isImported = !(definition.mainInput in state);
  const entries = isImported ? believed.map((name): [string, unknown] => [name, declared[name]]) : [];
  return { ...Object.fromEntries(entries), ...state };
}

function stateIn(struct: Parameters<typeof decode>[0]): Props {
  return stateOf(decode(struct).props);
}

/** Without what the dynamic provider has in the state of a resource that was moved to the plugin. */
function stateOf(props: Props): Props {
  return withoutHidden(withoutProviderText(props));
}

/** Absolute paths become relative to the program's folder, and audio that is a data URL does not become an input. */
function withPortablePaths(props: Props): Props {
  const isData = typeof props.audio === "string" && /^data:/i.test(props.audio);
  return withRelativePaths({ ...props, ...(isData && { audio: "data:…" }) });
}

/** The secret inputs, which are outputs too, and the outputs that the service makes from one of them. */
function withDerivedOutputs({ derived }: PluginResource, secrets: ReadonlySet<string>) {
  return derived.from.some((name) => secrets.has(name)) ? new Set([...secrets, ...derived.names]) : secrets;
}

function namesOf(name: string | undefined): string[] {
  return name === undefined ? [] : [name];
}

/** The engine ignores a change of the path. Other bytes under the same path are ours to ignore. */
function keepIgnoredAudio(request: rpc.DiffRequest | rpc.UpdateRequest, news: Props, olds: Props): Props {
  const ignored = request.getIgnorechangesList().some((path) => ["audio", "audioSha256", "*"].includes(path));
  if (!ignored || olds.audio === undefined) return news;
  const { audio, audioSha256, audioSeconds } = olds;
  return { ...news, audio, audioSha256, audioSeconds };
}

async function savingPartialState<T>(secrets: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InitializationFailed)) throw error;
    throw initializationError(error.id, encode(error.state, secrets), error.message);
  }
}

const { Kind } = rpc.PropertyDiff;

/** Every field that differs, so that a preview shows it. */
function diffResponse(
  { replaces, updates }: { replaces: string[]; updates: string[] },
  olds: Props,
  news: Props,
): rpc.DiffResponse {
  const response = new rpc.DiffResponse().setReplacesList(replaces).setDiffsList([...replaces, ...updates]);
  const isChanged = replaces.length + updates.length > 0;
  response.setChanges(rpc.DiffResponse.DiffChanges[isChanged ? "DIFF_SOME" : "DIFF_NONE"]);
  response.setHasdetaileddiff(true);
  for (const name of [...updates, ...replaces]) {
    const change = !(name in olds) ? "ADD" : !(name in news) ? "DELETE" : "UPDATE";
    const kind = Kind[replaces.includes(name) ? (`${change}_REPLACE` as const) : change];
    response.getDetaileddiffMap().set(name, new rpc.PropertyDiff().setKind(kind));
  }
  return response;
}
