import type { ResourceKind } from "../rules/resource-types";
import type { Settings } from "../rules/settings";
import { accountFingerprint } from "../rules/account-fingerprint";
import { environmentName } from "../rules/find-setting";
import { AuthenticationError, type CloudVoiceError, InputError } from "../errors";
import { once } from "../once";
import { ApartProcess } from "./apart/apart";
import { type Clock, steady, systemClock } from "./clock";
import { type Http, undiciHttp } from "./http";
import { decisionClient } from "./decisions/client";
import { imageClient } from "./images/client";
import type { InterfaceName } from "./responses/codes";
import type { CallContext, ObservedCall } from "./send-request";
import { Outage } from "./retry";
import { Throttle } from "./throttle";
import { Account } from "./voices/account";
import { voiceClient } from "./voices/client";

export type Service = ReturnType<typeof connect>;

export interface ConnectionParts {
  http?: Http;
  clock?: Clock;
  /** Logs one line for the user. Default: nothing is logged. */
  log?: (line: string) => void;
  observe?: (call: ObservedCall) => void;
  /** Rejects before a call whose address must not get the key. */
  assertAddress?: (kind: ResourceKind) => Promise<void>;
  /** Runs before a call that is not billed. Rejects if nobody waits for its result, e.g. after the engine exited. */
  beforeFree?: () => Promise<void>;
}

/** The service, with the settings of one account. Opens no connection before the first call. */
export function connect(settings: Settings, parts: ConnectionParts = {}) {
  const { log = () => undefined } = parts;
  const clock = parts.clock ?? systemClock;
  const transport = parts.http ?? undiciHttp(settings);
  let serviceTimeMs: number | undefined;
  const http: Http = {
    open: (request, signal) => transport.open(request, signal),
    close: () => transport.close(),
    async send(request) {
      const response = await transport.send(request);
      const dateMs = Date.parse(String(response.headers.date));
      if (!Number.isNaN(dateMs)) serviceTimeMs = dateMs;
      return response;
    },
  };
  const apiKey = () => {
    if (settings.apiKey !== undefined) return settings.apiKey;
    throw new AuthenticationError(noKey, { advice: setKeyAdvice });
  };
  const { maxRetries, maxConcurrency, maxThrottleMs: maxWaitMs } = settings;
  const report = (call: ObservedCall) => {
    parts.observe?.(call);
    if (settings.debug) log(describeCall(call));
  };
  // `observe` is set only if needed, because describing a response takes time.
  const observe = settings.debug || parts.observe ? report : undefined;
  const contextOf = (interfaceName: InterfaceName): CallContext => {
    const throttle = new Throttle({ name: interfaceName, clock: steady(clock), maxConcurrency, maxWaitMs, log });
    const assertAddress = () => parts.assertAddress?.(kindOf[interfaceName]) ?? Promise.resolve();
    return {
      interfaceName,
      forms: settings.forms,
      http,
      clock,
      throttle,
      apiKey,
      maxRetries,
      outage: new Outage(),
      log,
      observe,
      assertAddress,
      beforeFree: parts.beforeFree,
    };
  };

  // A function, because a program that uses no images needs no address for images.
  const baseUrlOf = (name: "voiceBaseUrl" | "imageBaseUrl" | "decisionBaseUrl") => () => {
    const url = settings[name];
    if (url !== undefined) return url;
    const advice = `Set cloudvoice:baseUrl (or cloudvoice:${name}), or CLOUDVOICE_BASE_URL (or ${environmentName(name)}).`;
    throw new InputError("no address of the service is set", { advice });
  };
  const voiceBaseUrl = baseUrlOf("voiceBaseUrl");
  const imageBaseUrl = baseUrlOf("imageBaseUrl");
  const decisionBaseUrl = baseUrlOf("decisionBaseUrl");
  const errorIfFull = (error: CloudVoiceError) => account.errorIfFull(error);
  const voices = voiceClient(contextOf("voices"), voiceBaseUrl, { errorIfFull });
  const account = new Account(voices, settings, clock);
  const fingerprintAt = (baseUrl: () => string) => once(() => accountFingerprint(baseUrl(), apiKey()));
  const fingerprints = {
    ...{ voice: fingerprintAt(voiceBaseUrl), image: fingerprintAt(imageBaseUrl) },
    decision: fingerprintAt(decisionBaseUrl),
  };
  return {
    clock,
    /**
     * The service's time in milliseconds since 1970, by its last response. Before the first response, the clock's time.
     */
    now: () => serviceTimeMs ?? clock.now(),
    /** For downloads, which must not carry the key. */
    http,
    maxRetries,
    apart: new ApartProcess(),
    voices,
    images: imageClient(contextOf("images"), imageBaseUrl),
    imageBaseUrl,
    decisions: decisionClient(contextOf("decisions"), decisionBaseUrl),
    account,
    /** Identifies the account at an interface. */
    fingerprintOf: (kind: ResourceKind) => fingerprints[kind](),
    voiceFingerprint: fingerprints.voice,
    close: () => http.close(),
  };
}

const kindOf = { voices: "voice", images: "image", decisions: "decision" } as const;

function describeCall({ method, path, action, status, ms, requestId, fields }: ObservedCall): string {
  return `debug: ${method} ${path} (${action}): ${status}, ${ms} ms, request id ${requestId ?? "none"}, fields: ${fields}`;
}

export const noKey = "no API key is set";
const setKeyAdvice = "Set CLOUDVOICE_API_KEY, or run `pulumi config set --secret cloudvoice:apiKey`.";
