import { setTimeout as delay } from "node:timers/promises";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { CloudVoiceError, InputError } from "../errors";
import { keyInClear } from "../rules/find-setting";
import { readSettings } from "../rules/settings";
import { longestRequestMs, mostBytesUnderWay } from "../service/uploads";
import { unknownValue } from "../rules/values";
import { Cancellation } from "../lifecycle/cancel";
import { Log, type PrintLine } from "../lifecycle/log";
import { type Operation, startOperation } from "../lifecycle/operation";
import { Adapter } from "./adapter";
import { pluginResources } from "./called";
import { isDefaultProvider } from "../rules/resource-types";
import { findProviderSetting, keyProblem, namesOfSettings } from "./settings";
import { decode, encode } from "./values";

/**
 * One provider of a program: an account with its settings. Usually the engine starts a process for each provider and
 * operation. If a debugger or a test suite starts the process and the engine attaches to it, the engine calls
 * `configure` for the preview and again for the update.
 */
export class Provider {
  private cancellation = new Cancellation();
  private configured:
    | {
        operation: Operation;
        adapter: Adapter;
        /** The engine's reference to this provider. */
        reference: string;
        cancelled: Promise<void>;
        configuration: string;
      }
    | undefined;

  constructor(
    private readonly print: PrintLine,
    private readonly assertEngineAlive = () => Promise.resolve(),
  ) {}

  checkConfig(request: rpc.CheckRequest): rpc.CheckResponse {
    const { props } = decode(request.getNews());
    const response = new rpc.CheckResponse();
    const problem = keyProblem(request.getUrn(), props);
    if (problem !== undefined) response.addFailures(new rpc.CheckFailure().setReason(problem));
    const knownArgs = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== unknownValue));
    try {
      readSettings(findProviderSetting(request.getUrn(), knownArgs), namesOfSettings(request.getUrn(), props));
    } catch (error) {
      if (!CloudVoiceError.is(error)) throw error;
      response.addFailures(new rpc.CheckFailure().setReason(error.message));
    }
    // The engine itself marks the secrets of the stack's configuration. Mark the key of a provider that the program
    // declares.
    const secrets = isDefaultProvider(request.getUrn()) ? [] : ["apiKey"];
    return response.setInputs(encode(props, new Set(secrets)));
  }

  /** Does not report a replacement, because another key or address can belong to the same account. */
  diffConfig(request: rpc.DiffRequest): rpc.DiffResponse {
    const olds = decode(request.getOldInputs() ?? request.getOlds()).props;
    const news = decode(request.getNews()).props;
    const names = [...new Set([...Object.keys(olds), ...Object.keys(news)])];
    const changed = names.filter((name) => JSON.stringify(olds[name]) !== JSON.stringify(news[name]));
    const changes = rpc.DiffResponse.DiffChanges[changed.length > 0 ? "DIFF_SOME" : "DIFF_NONE"];
    return new rpc.DiffResponse().setChanges(changes).setDiffsList(changed);
  }

  configure(request: rpc.ConfigureRequest): rpc.ConfigureResponse {
    const { props: args, secrets } = decode(request.getArgs());
    const urn = request.getUrn() ?? "";
    const configuration = JSON.stringify([urn, args]);
    // Workaround: the plugin protocol does not authenticate callers. By a second `configure`, another process could
    // make the plugin send the key to another address.
    if (this.configured !== undefined && this.configured.configuration !== configuration)
      throw new InputError("the provider is configured already, with other settings");
    const problem = keyProblem(urn, args);
    if (problem !== undefined) throw new InputError(problem);
    if (isDefaultProvider(urn) && args.apiKey !== undefined && !secrets.has("apiKey")) throw new InputError(keyInClear);
    const settings = readSettings(findProviderSetting(urn, args), namesOfSettings(urn, args));
    const cancellation = (this.cancellation = new Cancellation());
    const operation = startOperation(settings, {
      log: new Log(this.print),
      assertEngineAlive: this.assertEngineAlive,
      ...cancellation.operationParts(settings),
    });
    const adapter = new Adapter(pluginResources(operation));
    const reference = `${urn}::${request.getId() ?? ""}`;
    this.configured = { operation, adapter, reference, cancelled: cancellation.begun, configuration };
    return new rpc.ConfigureResponse().setAcceptsecrets(true).setAcceptoutputs(true).setSupportspreview(true);
  }

  cancel(): void {
    this.cancellation.cancel();
  }

  /**
   * Cancels the operation after the engine has exited. Resolves when the responses to all sent requests are noted in
   * the journal, or after the longest time that they may take. Does not wait for calls of `check`, which may be
   * reading recordings.
   */
  async abandon(): Promise<void> {
    this.cancel();
    if (this.configured === undefined) return;
    const { underway, settings } = this.configured.operation;
    await Promise.race([underway.ended(), delay(longestRequestMs(settings.requestTimeoutMs, mostBytesUnderWay))]);
  }

  get active() {
    if (this.configured === undefined) throw new InputError("the provider is not configured yet");
    return this.configured;
  }
}
