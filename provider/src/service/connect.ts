import type { ResourceKind } from "../rules/resource-types";
import type { Settings } from "../rules/settings";
import { accountFingerprint } from "../rules/addresses";
import { environmentName } from "../rules/find-setting";
import { AuthenticationError, InputError } from "../errors";
import { oncePer } from "../once";
import { type Clock, steady, systemClock } from "./clock";
import { type Http, undiciHttp } from "./http";
import { decisionClient } from "./decisions/client";
import { imageClient } from "./images/client";
import type { InterfaceName } from "./responses/codes";
import type { CallContext, ObservedCall } from "./send-request";
import { Throttle } from "./throttle";
import { Account } from "./voices/account";
import { voiceClient } from "./voices/client";

export type Service = ReturnType<typeof connect>;

export interface ConnectionParts extends Partial<Pick<CallContext, "log" | "observe" | "beforeFree">> {
  http?: Http | undefined;
  clock?: Clock | undefined;
  /** Called before a call. Throws if the address of this kind of resource must not get the API key. */
  assertAddress?: (kind: ResourceKind) => void;
}

/** The clients of the service, with the settings of one account. Does not open a connection before the first call. */
export function connect(settings: Settings, parts: ConnectionParts) {
  const clock = parts.clock ?? systemClock;
  const http = parts.http ?? undiciHttp(settings);
  const apiKey = () => {
    if (settings.apiKey !== undefined) return settings.apiKey;
    throw new AuthenticationError(noKey, { advice: setKeyAdvice });
  };
  const contextOf = (name: InterfaceName) => callContext(name, settings, { ...parts, http, clock, apiKey });
  const imageBaseUrl = baseUrlOf(settings, "image");
  const voices = voiceClient(contextOf("voices"), baseUrlOf(settings, "voice"), (error) => account.errorIfFull(error));
  const account = new Account(voices, settings, clock);
  /** The fingerprint of the address and the API key that resources of this kind use. */
  const fingerprintOf = oncePer((kind: ResourceKind) => accountFingerprint(baseUrlOf(settings, kind)(), apiKey()));
  return {
    clock,
    /** For downloads, which must be sent without the API key. */
    http,
    maxRetries: settings.maxRetries,
    voices,
    images: imageClient(contextOf("images"), imageBaseUrl),
    imageBaseUrl,
    decisions: decisionClient(contextOf("decisions"), baseUrlOf(settings, "decision")),
    account,
    fingerprintOf,
    voiceFingerprint: () => fingerprintOf("voice"),
    close: () => http.close(),
  };
}

function callContext(
  interfaceName: InterfaceName,
  { debug, forms, maxConcurrency, maxRetries, maxThrottleMs: maxWaitMs }: Settings,
  parts: ConnectionParts & Pick<CallContext, "http" | "clock" | "apiKey">,
): CallContext {
  const { log = () => undefined, clock } = parts;
  const report = (call: ObservedCall) => {
    parts.observe?.(call);
    if (debug) log(describeCall(call));
  };
  return {
    ...{ interfaceName, forms, maxRetries, log, clock, http: parts.http, apiKey: parts.apiKey },
    throttle: new Throttle({ name: interfaceName, clock: steady(clock), maxConcurrency, maxWaitMs, log }),
    // Set only if the description of a call is used, because describing a response takes time.
    observe: debug || parts.observe ? report : undefined,
    assertAddress: () => parts.assertAddress?.(kindOf[interfaceName]),
    beforeFree: parts.beforeFree,
  };
}

/** A missing address is an error only when it is used: a program without images needs no address for images. */
function baseUrlOf(settings: Settings, kind: ResourceKind): () => string {
  const name = `${kind}BaseUrl` as const;
  return () => {
    const url = settings[name];
    if (url !== undefined) return url;
    const advice = `Set cloudvoice:baseUrl (or cloudvoice:${name}), or CLOUDVOICE_BASE_URL (or ${environmentName(name)}).`;
    throw new InputError("no address of the service is set", { advice });
  };
}

const kindOf = { voices: "voice", images: "image", decisions: "decision" } as const;

function describeCall({ method, path, action, status, ms, requestId, fields }: ObservedCall): string {
  return `debug: ${method} ${path} (${action}): ${status}, ${ms} ms, request id ${requestId ?? "none"}, fields: ${fields}`;
}

const noKey = "no API key is set";
const setKeyAdvice = "Set CLOUDVOICE_API_KEY, or run `pulumi config set --secret cloudvoice:apiKey`.";
