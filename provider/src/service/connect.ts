import type { Settings } from "../rules/settings";
import { accountFingerprint } from "../rules/account-fingerprint";
import { AuthenticationError, InputError } from "../errors";
import type { Caller } from "./call";
import { type Clock, systemClock } from "./clock";
import { type Http, undiciHttp } from "./http";
import { type DecisionClient, decisionClient } from "./decisions/client";
import { type ImageClient, imageClient } from "./images/client";
import { Account } from "./voices/account";
import { type VoiceClient, voiceClient } from "./voices/client";

/** The service as one account sees it. Opens nothing until the first call. */
export interface Service {
  clock: Clock;
  maxRetries: number;
  /** For downloads, which carry no key. */
  http: Http;
  voices: VoiceClient;
  images: ImageClient;
  imageFingerprint(): string;
  decisions: DecisionClient;
  account: Account;
  /** Tells this account from another (rules/account-fingerprint.ts). */
  voiceFingerprint(): string;
  close(): Promise<void>;
}

export function connect(settings: Settings, parts: { http?: Http; clock?: Clock } = {}): Service {
  const clock = parts.clock ?? systemClock;
  const http = parts.http ?? undiciHttp(settings);
  const apiKey = () => {
    if (settings.apiKey !== undefined) return settings.apiKey;
    throw new AuthenticationError(
      "no API key: set CLOUDVOICE_API_KEY, or run `pulumi config set --secret cloudvoice:apiKey`. Pulumi hands destroy, refresh and up --refresh the configuration of the last update, so for these only CLOUDVOICE_API_KEY brings a key that is new",
    );
  };
  const caller: Caller = { http, clock, apiKey, maxRetries: settings.maxRetries };

  const voiceBaseUrl = required(settings.voiceBaseUrl, "voiceBaseUrl", "VOICE_BASE_URL");
  const imageBaseUrl = required(settings.imageBaseUrl, "imageBaseUrl", "IMAGE_BASE_URL");
  const voices = voiceClient(caller, voiceBaseUrl);
  return {
    clock,
    http,
    maxRetries: settings.maxRetries,
    voices,
    images: imageClient(caller, imageBaseUrl),
    imageFingerprint: () => accountFingerprint(imageBaseUrl(), apiKey()),
    decisions: decisionClient(caller, required(settings.decisionBaseUrl, "decisionBaseUrl", "DECISION_BASE_URL")),
    account: new Account(voices),
    voiceFingerprint: () => accountFingerprint(voiceBaseUrl(), apiKey()),
    close: () => http.close(),
  };
}

function required(address: string | undefined, setting: string, variable: string): () => string {
  return () => {
    if (address !== undefined) return address;
    throw new InputError(
      `no address of the service: set cloudvoice:baseUrl (or ${setting}), or CLOUDVOICE_BASE_URL (or CLOUDVOICE_${variable})`,
    );
  };
}
