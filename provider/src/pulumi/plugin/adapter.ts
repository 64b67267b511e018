import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { changedInputs } from "../../rules/inputs";
import { dynamicUrn } from "../../rules/resource-types";
import { splitUnknown, unknownValue } from "../../rules/unknown";
import { withoutProviderText } from "../provider/host";
import { InitializationFailed, type Props } from "../provider/lifecycle";
import { imageLabel } from "../shared/identity";
import { portable } from "../shared/portable";
import { initializationError } from "./errors";
import type { PluginResource } from "./resources";
import { decode, type Decoded, encode } from "./values";

/**
 * Adapts the life cycles to the protocol of native plugins. A program in TypeScript passes hidden inputs beside its own
 * (program/register.ts): who the resource is, and which inputs are secret. The engine tells a plugin both with each
 * call, so they are added here, and are not in the state.
 */
export class Adapter {
  /** The URNs of the resources that this operation imports, or reads with `CloudVoice.get`. */
  private readonly imported = new Set<string>();

  constructor(
    private readonly resource: (urn: string) => PluginResource,
    private readonly namespace: string,
  ) {}

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const urn = request.getUrn();
    const resource = this.resource(urn);
    const { props, secrets } = withPortablePaths(decode(request.getNews()));
    const { known, unknown } = splitUnknown(withHidden(resource, urn, { props, secrets }));
    const identity = { namespace: this.namespace, urn: dynamicUrn(urn) };
    const news = { ...known, identity, secretInputs: [...secrets] };
    const { inputs, failures } = await resource.lifecycle.check(decodeState(request.getOlds()), news, unknown);
    const response = new rpc.CheckResponse().setInputs(encode(withoutHidden(inputs), secrets));
    for (const { property, reason } of failures) {
      const isMissing = !(property in known) && !unknown.has(property);
      // Nobody knows the recording of an imported voice, or the prompt of an imported image.
      if (isMissing && property !== "" && this.imported.has(urn)) continue;
      response.addFailures(new rpc.CheckFailure().setProperty(property).setReason(reason));
    }
    return response;
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const urn = request.getUrn();
    const resource = this.resource(urn);
    const { lifecycle, schema } = resource;
    const given = withHidden(resource, urn, decode(request.getNews()));
    const olds = declaredState(request, resource, given);
    const { known, unknown } = splitUnknown(keepIgnoredAudio(request, given, olds));
    const isImport = this.imported.has(urn);
    // The engine calls no `diff` for `CloudVoice.get`. It calls none for `pulumi import` either, which changes and
    // deletes no other resource.
    if (isImport) lifecycle.claimImport?.(request.getId());
    // An import fails if anything differs, so what has to be updated waits for the next operation.
    const { replaces, updates } = isImport
      ? { replaces: changedInputs(schema, "replaces", olds, known, unknown), updates: false }
      : await lifecycle.diff(request.getId(), olds, known, unknown);
    const changed = updates ? changedInputs(schema, "updates", olds, known, unknown) : [];
    // A resource that came from the dynamic provider still has the text that named its code there.
    const moved = "__provider" in decode(request.getOlds()).props ? ["__provider"] : [];
    const outputs = updates && changed.length === 0 ? namesOf(resource.unfinishedOutput) : [];
    return diffResponse({ replaces, updates: [...changed, ...outputs, ...moved] }, olds, given);
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const resource = this.resource(request.getUrn());
    const decoded = decode(request.getProperties());
    const secrets = secretOutputs(resource, decoded.secrets);
    if (request.getPreview()) {
      const outputs = Object.fromEntries(resource.outputs.map((name) => [name, unknownValue]));
      return new rpc.CreateResponse().setProperties(encode({ ...outputs, ...decoded.props }, secrets));
    }
    const inputs = withHidden(resource, request.getUrn(), decoded);
    const { id, outs } = await savingPartialState(secrets, () => resource.lifecycle.create(inputs, timeoutOf(request)));
    return new rpc.CreateResponse().setId(id).setProperties(encode(withoutHiddenOutputs(outs), secrets));
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const resource = this.resource(request.getUrn());
    const decoded = decode(request.getNews());
    const secrets = secretOutputs(resource, decoded.secrets);
    const olds = { ...decodeState(request.getOlds()), ...hiddenState(resource, request.getUrn()) };
    const inputs = keepIgnoredAudio(request, withHidden(resource, request.getUrn(), decoded), olds);
    if (request.getPreview()) {
      const unknown = namesOf(resource.unfinishedOutput);
      const outputs = resource.outputs.filter((name) => name in olds || unknown.includes(name));
      const outs = outputs.map((name) => [name, unknown.includes(name) ? unknownValue : olds[name]] as const);
      return new rpc.UpdateResponse().setProperties(encode({ ...Object.fromEntries(outs), ...decoded.props }, secrets));
    }
    const { outs } = await savingPartialState(secrets, () =>
      resource.lifecycle.update(request.getId(), olds, inputs, timeoutOf(request)),
    );
    return new rpc.UpdateResponse().setProperties(encode(withoutHiddenOutputs(outs), secrets));
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const urn = request.getUrn();
    const resource = this.resource(urn);
    const { props, secrets } = decode(request.getProperties());
    const response = new rpc.ReadResponse();
    if (Object.keys(props).length === 0) {
      // An import, or `CloudVoice.get`: the engine knows the id only.
      const found = await resource.lifecycle.import(request.getId());
      if (found === undefined) return response;
      this.imported.add(urn);
      return response.setId(request.getId()).setProperties(encode(found.outs)).setInputs(encode(found.inputs));
    }
    const state = { ...withoutProviderText(props), ...hiddenState(resource, urn) };
    const found = await resource.lifecycle.read(request.getId(), state);
    if (found === undefined) return response;
    // The engine keeps the inputs that it has.
    return response
      .setId(request.getId())
      .setProperties(encode(withoutHiddenOutputs(found), secrets))
      .setInputs(request.getInputs());
  }

  async delete(request: rpc.DeleteRequest): Promise<Empty> {
    const resource = this.resource(request.getUrn());
    const state = { ...decodeState(request.getProperties()), ...hiddenState(resource, request.getUrn()) };
    await resource.lifecycle.delete(request.getId(), state);
    return new Empty();
  }
}

/**
 * The state to compare with. The state of an imported resource lacks what nobody knew of it. The values that are declared
 * first are believed: those of this program, and later those that the engine has as the old inputs.
 */
function declaredState(request: rpc.DiffRequest, resource: PluginResource, news: Props): Props {
  const state = decodeState(request.getOlds());
  const oldInputs = decode(request.getOldInputs()).props;
  const declared = resource.mainInput in oldInputs ? oldInputs : news;
  const believed = resource.believed.filter((name) => name in declared);
  const isImported = !(resource.mainInput in state);
  const entries = isImported ? believed.map((name): [string, unknown] => [name, declared[name]]) : [];
  return { ...Object.fromEntries(entries), ...state, ...hiddenState(resource, request.getUrn()) };
}

function decodeState(struct: Parameters<typeof decode>[0]): Props {
  return withoutProviderText(decode(struct).props);
}

/** Absolute paths become relative to the program's folder, and audio that is a data URL does not become an input. */
function withPortablePaths({ props, secrets }: Decoded): Decoded {
  const paths = ["audio", "saveTo"].flatMap((name): [string, string][] => {
    const path = props[name];
    if (typeof path !== "string" || path === unknownValue) return [];
    return [[name, /^data:/i.test(path) ? "data:…" : portable(path)]];
  });
  return { props: { ...props, ...Object.fromEntries(paths) }, secrets };
}

/** The inputs together with those that a TypeScript program passes without its author. */
function withHidden(resource: PluginResource, urn: string, { props, secrets }: Decoded): Props {
  const { derivedFrom, unfinishedOutput } = resource;
  // The name of an output as an input means that the output is secret (program/secret-mark.ts).
  const marks = derivedFrom.some((name) => secrets.has(name)) ? namesOf(unfinishedOutput) : [];
  return { ...props, ...hiddenState(resource, urn), ...Object.fromEntries(marks.map((name) => [name, ""])) };
}

/** What the life cycle has in its state and the engine need not store. */
function hiddenState({ kind }: PluginResource, urn: string): Props {
  if (kind !== "image") return {};
  const name = urn.slice(urn.lastIndexOf("::") + 2);
  return { label: imageLabel(name, dynamicUrn(urn)) };
}

function withoutHidden(inputs: Props): Props {
  const {
    identity: _,
    secretInputs: _names,
    images: _images,
    answers: _answers,
    ...rest
  } = withoutHiddenOutputs(inputs);
  return rest;
}

function withoutHiddenOutputs({ label: _, ...outs }: Props): Props {
  return outs;
}

/** The secret inputs, which are outputs too, and the output that the service makes from one of them. */
function secretOutputs({ derivedFrom, unfinishedOutput }: PluginResource, secrets: ReadonlySet<string>) {
  return derivedFrom.some((name) => secrets.has(name)) ? new Set([...secrets, ...namesOf(unfinishedOutput)]) : secrets;
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

function timeoutOf(request: rpc.CreateRequest | rpc.UpdateRequest): { timeoutSeconds?: number } {
  const seconds = request.getTimeout();
  return seconds > 0 ? { timeoutSeconds: seconds } : {};
}

async function savingPartialState<T>(secrets: ReadonlySet<string>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InitializationFailed)) throw error;
    throw initializationError(error.id, encode(withoutHiddenOutputs(error.outs), secrets), error.message);
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
