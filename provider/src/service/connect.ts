import type { Settings } from "../rules/settings";
import { accountFingerprint } from "../rules/account-fingerprint";
import { AuthenticationError, InputError } from "../errors";
import { type Clock, systemClock } from "./clock";
import { type Http, undiciHttp } from "./http";
import { type DecisionClient, decisionClient } from "./decisions/client";
import { type ImageClient, imageClient } from "./images/client";
import type { InterfaceName } from "./interface-name";
import type { CallContext, ObservedCall } from "./send-request";
import { Outage } from "./retry";
import { Throttle } from "./throttle";
import { Account } from "./voices/account";
import { type VoiceClient, voiceClient } from "./voices/client";

/** The service, with the settings of one account. Opens no connection before the first call. */
export interface Service {
  clock: Clock;
  /** The time as the service stated it last, in milliseconds since 1970; before its first response that of the clock. */
  now(): number;
  maxRetries: number;
  /** For downloads, which must not carry the key. */
  http: Http;
  voices: VoiceClient;
  images: ImageClient;
  imageBaseUrl(): string;
  imageFingerprint(): string;
  decisions: DecisionClient;
  account: Account;
  /** Whether the account holds as many voices as its quota allows, as its list says now. */
  isFull(): Promise<boolean>;
  /** Identifies the account without revealing the key. */
  decisionFingerprint(): string;
  voiceFingerprint(): string;
  close(): Promise<void>;
}

export interface ConnectionParts {
  http?: Http;
  clock?: Clock;
  /** Logs one line for the user. Default: nothing is logged. */
  log?: (line: string) => void;
  /** Called after every call, with the names of the fields in its response. */
  observe?: (call: ObservedCall) => void;
}

export function connect(settings: Settings, parts: ConnectionParts = {}): Service {
  const { log = () => undefined } = parts;
  const clock = parts.clock ?? systemClock;
  const sent = parts.http ?? undiciHttp(settings);
  let statedMs: number | undefined;
  const http: Http = {
    open: (request, signal) => sent.open(request, signal),
    close: () => sent.close(),
    async send(request) {
      const response = await sent.send(request);
      const stated = Date.parse(String(response.headers.date));
      if (!Number.isNaN(stated)) statedMs = stated;
      return response;
    },
  };
  const apiKey = () => {
    if (settings.apiKey !== undefined) return settings.apiKey;
    throw new AuthenticationError("no API key is set", { advice: setKey });
  };
  const { maxRetries, maxConcurrency, maxThrottleMs: maxWaitMs } = settings;
  const observe = (call: ObservedCall) => {
    parts.observe?.(call);
    if (settings.debug) log(describeCall(call));
  };
  const contextOf = (interfaceName: InterfaceName): CallContext => {
    const throttle = new Throttle({ name: interfaceName, clock, maxConcurrency, maxWaitMs, log });
    return { interfaceName, http, clock, throttle, apiKey, maxRetries, outage: new Outage(), log, observe };
  };

  const voiceBaseUrl = baseUrlGetter(settings.voiceBaseUrl, "voiceBaseUrl", "VOICE_BASE_URL");
  const imageBaseUrl = baseUrlGetter(settings.imageBaseUrl, "imageBaseUrl", "IMAGE_BASE_URL");
  const decisionBaseUrl = baseUrlGetter(settings.decisionBaseUrl, "decisionBaseUrl", "DECISION_BASE_URL");
  const isFull = async () => (await account.voicesNow()).length >= settings.voiceQuota;
  const voices = voiceClient(contextOf("voices"), voiceBaseUrl, { isFull });
  const account = new Account(voices, settings.acceptMissing === "all");
  const fingerprintAt = (baseUrl: () => string) => {
    let known: string | undefined;
    return () => (known ??= accountFingerprint(baseUrl(), apiKey()));
  };
  return {
    clock,
    now: () => statedMs ?? clock.now(),
    http,
    maxRetries,
    voices,
    images: imageClient(contextOf("images"), imageBaseUrl),
    imageBaseUrl,
    imageFingerprint: fingerprintAt(imageBaseUrl),
    decisions: decisionClient(contextOf("decisions"), decisionBaseUrl),
    account,
    isFull,
    decisionFingerprint: fingerprintAt(decisionBaseUrl),
    voiceFingerprint: fingerprintAt(voiceBaseUrl),
    close: () => http.close(),
  };
}

function describeCall({ method, path, action, status, ms, requestId, fields }: ObservedCall): string {
  return `debug: ${method} ${path} (${action}): ${status}, ${ms} ms, request id ${requestId ?? "none"}, fields: ${fields}`;
}

const setKey = "Set CLOUDVOICE_API_KEY, or run `pulumi config set --secret cloudvoice:apiKey`.";

/** Returns a function that throws if the URL is not set. Programs that do not use an interface need no URL for it. */
function baseUrlGetter(url: string | undefined, setting: string, variable: string): () => string {
  return () => {
    if (url !== undefined) return url;
    throw new InputError("no address of the service is set", {
      advice: `Set cloudvoice:baseUrl (or cloudvoice:${setting}), or CLOUDVOICE_BASE_URL (or CLOUDVOICE_${variable}).`,
    });
  };
}
