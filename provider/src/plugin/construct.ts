import * as grpc from "@grpc/grpc-js";
import pLimit from "p-limit";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as monitor from "@pulumi/pulumi/proto/resource_pb";
import { CloudVoiceError, InputError } from "../errors";
import {
  catalogProblems,
  type CatalogVoice,
  catalogVoices,
  formerVoices,
  ignoredInputs,
  type InputsCheck,
  manifestEntry,
  namesCheck,
  problemText,
} from "../rules/catalog";
import { isRecord, splitUnknown, unknownValue } from "../rules/values";
import { voiceInputs } from "../rules/voice-fields";
import { identityText, nativeTypes, resourceTypes } from "../rules/resource-types";
import { voiceProblems } from "../service/voices/entry-check";
import { withPortablePaths } from "./adapter";
import { CallFailure } from "./errors";
import { type ComponentInput, decodeFields, fieldsOf, structOf, withMarks, withoutMarks } from "./values";

type Fields = Record<string, ComponentInput>;
type Voice = CatalogVoice<Fields>;

/**
 * The most concurrent registrations. The engine processes fewer concurrently, so more would only wait, and each waiting
 * registration takes 40 KB of memory.
 */
const maxRegistrations = 100;

/** The provider of this process. */
interface OwnProvider {
  /** The engine's reference to it. */
  reference: string;
  extraTargetModels: readonly string[];
  /** Resolves if the update is cancelled or fails. */
  cancelled?: Promise<void> | undefined;
}

interface Registered {
  key: string;
  urn: string;
  /** The voice's outputs in the manifest. Absent if the engine failed or skipped the voice and continues the update. */
  entry?: Record<string, unknown> | undefined;
}

/**
 * Serves `VoiceCatalog` to programs in every language. Workaround: the voices are registered without the SDK, directly
 * with the engine's resource monitor. The SDK takes three times as long and writes a call stack into the state.
 */
export async function construct(
  request: rpc.ConstructRequest,
  { reference: provider, extraTargetModels, cancelled = new Promise(() => undefined) }: OwnProvider,
  channel: Partial<grpc.ChannelOptions>,
): Promise<rpc.ConstructResponse> {
  const catalog = catalogIn(request, extraTargetModels);
  const { voices, areKnown } = catalog;
  const insecure = grpc.credentials.createInsecure();
  const client = new ResourceMonitorClient(request.getMonitorendpoint(), insecure, channel);
  const register: Register = (resource) => answered((done) => client.registerResource(resource, done));
  try {
    const urn = (await register(componentOf(request))).getUrn();
    const limiter = pLimit(maxRegistrations);
    const registering = Promise.all(
      voices.map((voice) => limiter(() => registerVoice(register, request, provider, catalog, urn, voice))),
    );
    // Workaround: after a failure the engine (3.259) does not answer registrations any more, and ends this process. If
    // `construct` waited for these registrations, the engine's call of `construct` would fail with "the client
    // connection is closing", which would be printed beside the error of the voice.
    registering.catch(() => undefined);
    const all = await Promise.race([registering, cancelled]);
    if (all !== undefined) {
      const outputs = new monitor.RegisterResourceOutputsRequest().setUrn(urn);
      outputs.setOutputs(structOf({ manifest: areKnown ? manifestOf(all) : unknownValue }));
      await answered((done) => client.registerResourceOutputs(outputs, done));
    }
    return responseOf(urn, all ?? [], areKnown && all !== undefined);
  } finally {
    client.close();
  }
}

type Register = (resource: monitor.RegisterResourceRequest) => Promise<monitor.RegisterResourceResponse>;

interface Catalog {
  name: string;
  voices: Voice[];
  /** False while a preview does not know the argument `voices`. */
  areKnown: boolean;
  /** Undefined if the program does not set the option. */
  deleteBeforeReplace: boolean | undefined;
  /** The input `identity` of each voice. */
  identity: string;
}

/** Reads the request, and removes its inputs to free memory. */
function catalogIn(request: rpc.ConstructRequest, extraTargetModels: readonly string[]): Catalog {
  const [type, name] = [request.getType(), request.getName()];
  if (type !== resourceTypes.voiceCatalog) throw new InputError(`there is no component ${type}`);
  const { deleteBeforeReplace: deletesFirst, ...args } =
    fieldsOf(withoutMarks(request.getInputs()?.toJavaScript())) ?? {};
  request.clearInputs();
  const deleteBeforeReplace = deletesFirst && deletesFirst.value === true;
  const identity = identityText({
    organization: request.getOrganization() || "organization",
    deleteBeforeReplace: deleteBeforeReplace === true && request.getRetainondelete() !== true,
  });
  const areKnown = args.voices?.value !== unknownValue;
  const voices = voicesIn(args, name, checkOf(request, extraTargetModels));
  return { name, voices, areKnown, deleteBeforeReplace, identity };
}

function componentOf(request: rpc.ConstructRequest): monitor.RegisterResourceRequest {
  const component = registration(request, request.getType(), request.getName(), request.getParent());
  const hooks = request.getResourceHooks()?.serializeBinary(); // Both message types have the same form.
  if (hooks) component.setHooks(monitor.RegisterResourceRequest.ResourceHooksBinding.deserializeBinary(hooks));
  request.getProvidersMap().forEach((reference, of) => component.getProvidersMap().set(of, reference));
  return component.setAliasesList(request.getAliasesList());
}

async function registerVoice(
  register: Register,
  request: rpc.ConstructRequest,
  provider: string,
  { name: catalog, deleteBeforeReplace, identity }: Catalog,
  parent: string,
  [key, inputs, renamedFrom]: Voice,
): Promise<Registered> {
  const name = `${catalog}-${key}`;
  const voice = registration(request, nativeTypes.cloudVoice, name, parent)
    .setCustom(true)
    .setProvider(request.getProvidersMap().get("cloudvoice") ?? provider)
    .setAliasesList(aliasesOf(catalog, renamedFrom, parent))
    .setIgnorechangesList(request.getIgnorechangesList())
    .setDeletebeforereplace(deleteBeforeReplace === true)
    .setDeletebeforereplacedefined(deleteBeforeReplace !== undefined);
  const response = await register(withInputs(voice, inputs, identity));
  const succeeded = response.getResult() === monitor.Result.SUCCESS;
  const outputs = succeeded ? response.getObject()?.toJavaScript() : undefined;
  return { key, urn: response.getUrn(), entry: outputs && manifestEntry(outputs) };
}

/**
 * The aliases of a voice: its type in the classes, and its former names. Workaround: each alias names the parent,
 * although that is the engine's default. If a program has a transform, @pulumi/pulumi (3.248, `registerTransform` in
 * runtime/callbacks.js) passes the transform an alias without a parent as `parent: undefined`, and sends that back as
 * "has no parent".
 */
function aliasesOf(catalog: string, renamedFrom: readonly string[], parent: string): Alias[] {
  const former = [{ name: "", type: resourceTypes.cloudVoice }, ...formerVoices(catalog, renamedFrom)];
  return former.map(({ name, type }) =>
    new Alias().setSpec(new Alias.Spec().setName(name).setType(type).setParenturn(parent)),
  );
}

function answered<T>(call: (done: (error: grpc.ServiceError | null, response: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, response) =>
      error ? reject(new CloudVoiceError(`the registration failed: ${error.details}`)) : resolve(response),
    ),
  );
}

/** The voices of the catalog. Empty while a preview does not know `voices`. */
function voicesIn({ voices, defaults, ...others }: Fields, catalog: string, check: InputsCheck): Voice[] {
  const inputsOf = (object: ComponentInput) =>
    // If a preview does not know an object, assume that the object has the inputs that a voice requires.
    object.value === unknownValue ? { targetModel: object, audio: object } : (fieldsOf(object) ?? object.value);
  const entryOf = (object: ComponentInput) => {
    const inputs = inputsOf(object);
    const renamedFrom = isRecord(inputs) && (inputs.renamedFrom as ComponentInput | undefined)?.value;
    return renamedFrom ? { ...inputs, renamedFrom } : inputs;
  };
  const entries = voices?.value === unknownValue ? {} : voices && fieldsOf(voices);
  const args = {
    ...others,
    voices: entries && Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, entryOf(entry)])),
    defaults: defaults && inputsOf(defaults),
  };
  const problems = catalogProblems(args, inputNames, check);
  if (problems.length > 0) {
    // Not an `InputError`, whose message is one line.
    throw new CallFailure({ code: grpc.status.UNKNOWN, details: problemText(catalog, problems) });
  }
  return catalogVoices(args.voices as Record<string, Fields>, args.defaults as Fields) as Voice[];
}

const inputNames = Object.keys(voiceInputs.shape);

/** The check of the voices' inputs. */
function checkOf(request: rpc.ConstructRequest, extraTargetModels: readonly string[]): InputsCheck {
  const ignored = ignoredInputs(request.getIgnorechangesList());
  if (ignored.has("*")) return namesCheck(inputNames);
  return (fields, elsewhere) => {
    const { props, secrets } = decodeFields(fields as Fields);
    const { values, unknown } = splitUnknown(withPortablePaths(props));
    const skipped = new Set([...unknown, ...elsewhere, ...ignored]);
    return voiceProblems({ values, unknown: skipped, secrets, extraTargetModels });
  };
}

/** The part of a registration that the catalog and its voices share. */
function registration(
  request: rpc.ConstructRequest,
  type: string,
  name: string,
  parent: string,
): monitor.RegisterResourceRequest {
  const registering = new monitor.RegisterResourceRequest()
    .setType(type)
    .setName(name)
    .setParent(parent)
    .setAliasspecs(true)
    .setAcceptsecrets(true)
    .setSupportspartialvalues(true)
    .setSupportsresultreporting(true)
    .setDependenciesList(request.getDependenciesList())
    .setDeletedwith(request.getDeletedwith());
  if (request.hasProtect()) registering.setProtect(request.getProtect() ?? false);
  if (request.hasRetainondelete()) registering.setRetainondelete(request.getRetainondelete() ?? false);
  return registering;
}

function withInputs(voice: monitor.RegisterResourceRequest, inputs: Fields, identity: string) {
  const values: Record<string, unknown> = { identity };
  const dependencies = new Set(voice.getDependenciesList());
  for (const [name, input] of Object.entries(inputs)) {
    const { value, dependencies: urns } = withMarks(input);
    values[name] = value;
    urns.forEach((urn) => dependencies.add(urn));
    const inputDependencies = new monitor.RegisterResourceRequest.PropertyDependencies().setUrnsList(urns);
    voice.getPropertydependenciesMap().set(name, inputDependencies);
  }
  return voice.setObject(structOf(values)).setDependenciesList([...dependencies]);
}

function manifestOf(registered: readonly Registered[]): Record<string, unknown> {
  return Object.fromEntries(registered.flatMap(({ key, entry }) => (entry ? [[key, entry]] : [])));
}

/** The outputs for the program. The manifest is unknown if the engine has failed or skipped a voice. */
function responseOf(urn: string, registered: readonly Registered[], areAll: boolean): rpc.ConstructResponse {
  const isWhole = areAll && registered.every(({ entry }) => entry !== undefined);
  const response = new rpc.ConstructResponse().setUrn(urn);
  const dependencies = new rpc.ConstructResponse.PropertyDependencies();
  response.getStatedependenciesMap().set("manifest", dependencies.setUrnsList(registered.map((voice) => voice.urn)));
  return response.setState(structOf({ manifest: isWhole ? manifestOf(registered) : unknownValue }));
}
