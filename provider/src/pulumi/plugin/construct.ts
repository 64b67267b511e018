import * as grpc from "@grpc/grpc-js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as monitor from "@pulumi/pulumi/proto/resource_pb";
import { InputError } from "../../errors";
import { unknownValue } from "../../rules/unknown";
import { voiceInputs } from "../../rules/voice-inputs";
import { catalogProblems, catalogVoices, secretsOf } from "../shared/catalog";
import type { ToldIdentity } from "../shared/identity";
import { nativeTypes, resourceTypes } from "../shared/resource-types";
import { type ComponentInput, containsSecret, fieldsOf, withMarks, withoutMarks } from "./values";

type Fields = Record<string, ComponentInput>;

/** A voice that is registered. */
interface Registered {
  key: string;
  name: string;
  urn: string;
  /** Its outputs. Undefined if it failed or was left out, and the update goes on. */
  outputs: Record<string, unknown> | undefined;
}

/**
 * Serves `VoiceCatalog` to programs in every language. The voices are registered with the engine's resource monitor and
 * not through an SDK, which takes a third of the time, and leaves no call stack in the state. `provider` is the reference
 * of the provider that this process serves.
 */
export async function construct(
  request: rpc.ConstructRequest,
  provider: string,
  channel: Partial<grpc.ChannelOptions>,
): Promise<rpc.ConstructResponse> {
  if (request.getType() !== resourceTypes.voiceCatalog)
    throw new InputError(`there is no component ${request.getType()}`);
  const { deleteBeforeReplace, ...args } = fieldsOf(withoutMarks(request.getInputs()?.toJavaScript())) ?? {};
  const voices = voicesIn(request.getName(), args);
  const engine = new Monitor(request.getMonitorendpoint(), channel);
  try {
    const component = registration(request, resourceTypes.voiceCatalog, request.getName(), request.getParent());
    for (const [name, reference] of request.getProvidersMap().entries())
      component.getProvidersMap().set(name, reference);
    const urn = (await engine.register(component.setAliasesList(request.getAliasesList()))).getUrn();
    const registered = await Promise.all(
      voices.map(async ([key, inputs]): Promise<Registered> => {
        const name = `${request.getName()}-${key}`;
        const voice = registration(request, nativeTypes.cloudVoice, name, urn)
          .setCustom(true)
          .setProvider(request.getProvidersMap().get("cloudvoice") ?? provider)
          // A catalog that was made with the dynamic provider keeps its voices.
          .setAliasesList([new Alias().setSpec(new Alias.Spec().setType(resourceTypes.cloudVoice))])
          .setIgnorechangesList(request.getIgnorechangesList());
        const replacesFirst = deleteBeforeReplace?.value;
        if (typeof replacesFirst === "boolean")
          voice.setDeletebeforereplace(replacesFirst).setDeletebeforereplacedefined(true);
        const identity: ToldIdentity = {
          organization: request.getOrganization() || "organization",
          deleteBeforeReplace: replacesFirst === true && !request.getRetainondelete(),
          protect: request.getProtect() === true,
        };
        setInputs(voice, { ...inputs, identity: withoutMarks(identity) });
        const response = await engine.register(voice);
        const succeeded = response.getResult() === monitor.Result.SUCCESS;
        const outputs = succeeded ? (response.getObject()?.toJavaScript() as Registered["outputs"]) : undefined;
        return { key, name, urn: response.getUrn(), outputs };
      }),
    );
    await engine.registerOutputs(urn, { manifest: manifestOf(registered) });
    return responseOf(urn, registered);
  } finally {
    engine.close();
  }
}

/** The engine, as a program sees it. */
class Monitor {
  private readonly client: ResourceMonitorClient;

  constructor(address: string, channel: Partial<grpc.ChannelOptions>) {
    this.client = new ResourceMonitorClient(address, grpc.credentials.createInsecure(), channel);
  }

  register(request: monitor.RegisterResourceRequest): Promise<monitor.RegisterResourceResponse> {
    return new Promise((resolve, reject) =>
      this.client.registerResource(request, (error, response) => (error ? reject(error) : resolve(response))),
    );
  }

  registerOutputs(urn: string, outputs: object): Promise<void> {
    const request = new monitor.RegisterResourceOutputsRequest().setUrn(urn).setOutputs(structOf(outputs));
    return new Promise((resolve, reject) =>
      this.client.registerResourceOutputs(request, (error) => (error ? reject(error) : resolve())),
    );
  }

  close(): void {
    this.client.close();
  }
}

/** The inputs of the voices by their keys. In a preview that does not know the voices yet, there are none. */
function voicesIn(catalog: string, { voices, defaults, ...others }: Fields): [key: string, inputs: Fields][] {
  const inputsOf = (object: ComponentInput) =>
    // Of an object that is not known yet, a preview takes it that it has the fields that a voice must have.
    object.value === unknownValue ? { targetModel: object, audio: object } : (fieldsOf(object) ?? object.value);
  const entries = voices?.value === unknownValue ? {} : voices && fieldsOf(voices);
  const args = {
    ...others,
    voices: entries && Object.fromEntries(Object.entries(entries).map(([key, entry]) => [key, inputsOf(entry)])),
    defaults: defaults && inputsOf(defaults),
  };
  const problems = catalogProblems(args, Object.keys(voiceInputs.shape));
  if (problems.length > 0) throw new InputError(`${catalog}: ${problems.join("; ")}`);
  return catalogVoices(args.voices as Record<string, Fields>, args.defaults as Fields) as [string, Fields][];
}

/** What the registrations of the catalog and of its voices have in common. */
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

function setInputs(voice: monitor.RegisterResourceRequest, inputs: Fields): void {
  const fields = Object.entries(inputs).map(([name, input]) => ({ name, ...withMarks(input) }));
  for (const { name, dependencies } of fields)
    voice
      .getPropertydependenciesMap()
      .set(name, new monitor.RegisterResourceRequest.PropertyDependencies().setUrnsList(dependencies));
  const dependencies = [...voice.getDependenciesList(), ...fields.flatMap((field) => field.dependencies)];
  voice.setDependenciesList([...new Set(dependencies)]);
  voice.setObject(structOf(Object.fromEntries(fields.map(({ name, value }) => [name, value]))));
}

/** What programs that synthesize speech need. */
function manifestOf(registered: readonly Registered[]): object {
  return Object.fromEntries(
    registered.flatMap(({ key, outputs }) => {
      if (outputs === undefined) return [];
      const { voice, targetModel, language } = outputs;
      return [[key, { voice, targetModel, ...(isGiven(language) && { language }) }]];
    }),
  );
}

/**
 * What the program sees: the manifest, and the outputs of each voice under its name, from which `voices` of the class in
 * TypeScript is made. A value that contains a secret is secret there, so secrets have a property of their own.
 */
function responseOf(urn: string, registered: readonly Registered[]): rpc.ConstructResponse {
  const isWhole = registered.every(({ outputs }) => outputs !== undefined);
  const voices = registered.flatMap(({ name, outputs }) => {
    if (outputs === undefined) return [[name, unknownValue]];
    const fields = Object.entries(outputs).map(([field, value]) => ({ field, value, secret: containsSecret(value) }));
    const only = (secrets: boolean) =>
      Object.fromEntries(fields.flatMap(({ field, value, secret }) => (secret === secrets ? [[field, value]] : [])));
    return [[name, only(false)], ...(fields.some(({ secret }) => secret) ? [[secretsOf(name), only(true)]] : [])];
  });
  const manifest = isWhole ? manifestOf(registered) : unknownValue;
  const response = new rpc.ConstructResponse().setUrn(urn);
  response.setState(structOf({ manifest, ...(Object.fromEntries(voices) as object) }));
  const depend = (property: string, urns: string[]) =>
    response
      .getStatedependenciesMap()
      .set(property, new rpc.ConstructResponse.PropertyDependencies().setUrnsList(urns));
  depend(
    "manifest",
    registered.map((voice) => voice.urn),
  );
  for (const voice of registered) {
    depend(voice.name, [voice.urn]);
    depend(secretsOf(voice.name), [voice.urn]);
  }
  return response;
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function structOf(values: object): Struct {
  return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
}
