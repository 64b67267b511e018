import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { changedInputs, checkFailure, checkInputs } from "../rules/inputs";
import { InputError } from "../errors";
import { addedOutputs } from "../rules/resources";
import { splitUnknown, unknownValue } from "../rules/values";
import { hasGeneratedName } from "../rules/voice";
import { keepIgnoredRecording, withoutHidden, withRelativePaths } from "../lifecycle/properties";
import { checkForEngine, InitializationFailed, type Props, type Resource } from "../lifecycle/lifecycle";
import { CalledResources, type PluginResource, RunningCreates } from "./called";
import { initializationError } from "./errors";
import { assertKnown, decode, encode } from "./values";

/** Adapts the life cycles to the protocol of native plugins. */
export class Adapter {
  /** The URNs of the resources that this operation imports, or reads with `CloudVoice.get`. */
  private readonly imported = new Set<string>();
  private readonly creating = new RunningCreates();
  private readonly resources = new CalledResources();

  constructor(private readonly definition: (urn: string) => PluginResource) {}

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const { definition, urn, props, resource, encoded } = this.called(request, request.getNews());
    const { identity: _, ...inputsOfProgram } = withPortablePaths(props);
    const { values, unknown } = splitUnknown(inputsOfProgram);
    const olds = stateIn(request.getOlds());
    // A program does not pass `audioSha256`. If the inputs have it, the engine has put old inputs back because of
    // `ignoreChanges`.
    resource.options.keepsRecording = olds.audio !== undefined && values.audioSha256 !== undefined;
    const { inputs, failures } = await checkForEngine(definition.lifecycle, values, olds, resource, unknown);
    const response = new rpc.CheckResponse().setInputs(encoded(inputs));
    for (const { property, reason } of failures) {
      // `property` can name a part of an input, e.g. `triggers[0]`.
      const [input = ""] = property.split(/[.[]/, 1);
      const isMissing = !(input in values) && !unknown.has(input);
      // Workaround: the inputs of an import lack the voice's recording or the image's prompt, which the service does
      // not report.
      if (isMissing && property !== "" && this.imported.has(urn)) continue;
      response.addFailures(new rpc.CheckFailure().setProperty(property).setReason(reason));
    }
    return response;
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { definition, urn, props, resource } = this.called(request, request.getNews());
    const { lifecycle, inputs } = definition;
    const saved = decode(request.getOlds()).props;
    const olds = declaredState(saved, request, definition, props);
    const { values, unknown } = splitUnknown(keepIgnoredRecording(olds, props, request.getIgnorechangesList()));
    const isImport = this.imported.has(urn);
    // Workaround: claim an imported voice in `diff`, because the engine calls `read` also for `CloudVoice.get`. The
    // command `pulumi import` does not call `diff`, so it does not claim the voice, but it does not change or delete
    // other resources either.
    if (isImport) await lifecycle.claimImport?.(request.getId(), resource);
    // Workaround: an import fails if any input differs, so only the next operation reports inputs that need an update.
    const { replaces, updates } = isImport
      ? { replaces: changedInputs(inputs, "replaces", olds, values, unknown), updates: false }
      : await lifecycle.diff(request.getId(), olds, values, resource, unknown);
    const changed = updates ? changedInputs(inputs, "updates", olds, values, unknown) : [];
    // The state of a resource from the dynamic provider still has the provider text. An update removes it.
    const isMoved = "__provider" in saved;
    // E.g. a closed gate and an unfinished task need an update although no input differs.
    const isChanged = updates || replaces.length > 0 || isMoved;
    return diffResponse(replaces, changed, isChanged, olds, props);
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const { definition, urn, props, resource, encoded } = this.called(request, request.getProperties());
    if (request.getPreview()) {
      const outputs = Object.fromEntries(addedOutputs(definition).map((name) => [name, unknownValue]));
      return new rpc.CreateResponse().setProperties(encoded({ ...outputs, ...props }));
    }
    assertChecked(definition, props, resource);
    const create = () => definition.lifecycle.create(props, resource);
    const { id, state } = await savingPartialState(encoded, () => this.creating.share(urn, props, create));
    return new rpc.CreateResponse().setId(id).setProperties(encoded(state));
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const { definition, props, resource, encoded } = this.called(request, request.getNews());
    const olds = stateIn(request.getOlds());
    if (request.getPreview()) {
      const outputNames = addedOutputs(definition).filter((name) => name in olds);
      const outputs = Object.fromEntries(outputNames.map((name) => [name, olds[name]]));
      const planned = await definition.lifecycle.planUpdate?.(olds, props, resource);
      return new rpc.UpdateResponse().setProperties(encoded({ ...outputs, ...planned, ...props }));
    }
    const inputs = keepIgnoredRecording(olds, props, request.getIgnorechangesList());
    assertChecked(definition, inputs, resource);
    const update = () => definition.lifecycle.update(request.getId(), olds, inputs, resource);
    return new rpc.UpdateResponse().setProperties(encoded(await savingPartialState(encoded, update)));
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    const { definition, urn, props, resource, encoded } = this.called(request, request.getProperties());
    const response = new rpc.ReadResponse();
    if (Object.keys(props).length === 0) {
      // For an import and for `CloudVoice.get`, the request has only the id.
      const imported = await definition.lifecycle.import(request.getId());
      if (imported === undefined) return response;
      this.imported.add(urn);
      return response.setId(request.getId()).setProperties(encode(imported.state)).setInputs(encode(imported.inputs));
    }
    const outputs = await definition.lifecycle.read(request.getId(), withoutHidden(props), resource);
    if (outputs === undefined) return response;
    return response.setId(request.getId()).setProperties(encoded(outputs)).setInputs(request.getInputs());
  }

  async delete(request: rpc.DeleteRequest): Promise<Empty> {
    const { definition, props, resource } = this.called(request, request.getProperties());
    await definition.lifecycle.delete(request.getId(), withoutHidden(props), resource);
    return new Empty();
  }

  /** `encoded`: encodes inputs or a state, with the secrets of the request's properties. */
  private called(
    request: { getUrn(): string; getId?(): string; getTimeout?(): number },
    properties: Parameters<typeof decode>[0],
  ) {
    const urn = request.getUrn();
    const definition = this.definition(urn);
    const { names, from } = definition.derived;
    const decoded = decode(properties);
    const { props } = decoded;
    // The secret inputs (every input is an output too), and the outputs that the service derives from a secret input.
    const isDerivedSecret = from.some((input) => decoded.secrets.has(input));
    const secrets = isDerivedSecret ? new Set([...decoded.secrets, ...names]) : decoded.secrets;
    const timeoutSeconds = request.getTimeout?.() ?? 0;
    const resource: Resource = {
      ...this.resources.of(request, props),
      secrets,
      ...(timeoutSeconds > 0 && { timeoutSeconds }),
    };
    const encoded = (values: object) => encode(values, secrets);
    return { definition, urn, props, resource, encoded };
  }
}

/**
 * The state with which `diff` compares the inputs. After an import, the state lacks inputs that the service does not
 * report, e.g. the recording. For these, the values that the program declared first are used: the new inputs in the
 * operation that imports, and the engine's old inputs in later operations.
 */
function declaredState(saved: Props, request: rpc.DiffRequest, definition: PluginResource, news: Props): Props {
  const state = withoutHidden(saved);
  if (definition.requiredAfterImport in state) return state;
  const oldInputs = decode(request.getOldInputs()).props;
  const declared = definition.requiredAfterImport in oldInputs ? oldInputs : news;
  const acceptedNames = definition.acceptedAfterImport.filter((name) => name in declared);
  return { ...Object.fromEntries(acceptedNames.map((name) => [name, declared[name]])), ...state };
}

/**
 * Throws for inputs that `check` refuses, because another process can call `create` or `update` at the plugin's port
 * without calling `check`.
 */
function assertChecked({ inputs }: PluginResource, props: Props, { name, secrets }: Resource): void {
  assertKnown(name, props);
  const [failure] = checkInputs(inputs, props, new Set()).map((problem) => checkFailure(problem, secrets));
  if (failure !== undefined) throw new InputError(`${name}: ${failure.property} ${failure.reason}`);
  if ("preferredName" in inputs.shape && props.preferredName === undefined)
    throw new InputError(`${name}: preferredName is missing. Call Create with the inputs that Check returned`);
}

/** The state without the fields of the dynamic provider, which a resource still has after its move to the plugin. */
function stateIn(struct: Parameters<typeof decode>[0]): Props {
  return withoutHidden(decode(struct).props);
}

/** Makes absolute paths relative to the program's folder, and removes the data of a data URL. */
export function withPortablePaths(props: Props): Props {
  const isData = typeof props.audio === "string" && /^data:/i.test(props.audio);
  return withRelativePaths({ ...props, ...(isData && { audio: "data:…" }) });
}

async function savingPartialState<T>(encoded: (state: object) => Struct, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InitializationFailed)) throw error;
    throw initializationError(error.id, encoded(error.state), error.message);
  }
}

const { Kind } = rpc.PropertyDiff;

/** Shows each field that differs. Leaves out what follows from another recording: its length and a generated name. */
function diffResponse(replaces: string[], updates: string[], isChanged: boolean, olds: Props, news: Props) {
  const names = [...replaces, ...updates];
  // The engine shows only fields whose value changed. If a recording changed and its path did not, the hash is shown.
  const shown = (name: string) => (name === "audioSha256" && olds.audio !== news.audio ? "audio" : name);
  const diffs = [...new Set([...names, ...names.map(shown)])];
  const response = new rpc.DiffResponse().setReplacesList(replaces).setDiffsList(diffs);
  response.setChanges(rpc.DiffResponse.DiffChanges[isChanged ? "DIFF_SOME" : "DIFF_NONE"]);
  response.setHasdetaileddiff(true);
  const isOtherRecording = replaces.includes("audioSha256");
  const follows = (name: string) =>
    name === "audioSeconds" || (name === "preferredName" && hasGeneratedName(olds) && hasGeneratedName(news));
  for (const name of names) {
    if (isOtherRecording && follows(name)) continue;
    const change = !(name in olds) ? "ADD" : !(name in news) ? "DELETE" : "UPDATE";
    const kind = Kind[replaces.includes(name) ? (`${change}_REPLACE` as const) : change];
    response.getDetaileddiffMap().set(shown(name), new rpc.PropertyDiff().setKind(kind));
  }
  return response;
}
