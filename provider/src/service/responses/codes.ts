import { plain } from "./names";

export type InterfaceName = "voices" | "images" | "decisions";

/**
 * The only table of error codes: those of the contract and of similar services. They are compared without case and
 * punctuation. If a code is not in the table, the HTTP status decides; after a success status the request may have been
 * billed. `X.*` matches any code whose first word is `X`, for example `Throttling.BurstRate`.
 */
const table = {
  /** The account already holds as many voices as its quota allows. */
  full: `VoiceQuotaExceeded Voice.Quota.Exceeded QuotaExceeded.Voice VoiceLimitExceeded LimitExceeded.Voice VoiceLimitReached
    MaxVoicesReached MaximumNumberOfVoicesReached TooManyVoices NoMoreVoices InsufficientVoiceQuota ExceedQuota.CustomVoice
    VoiceNumExceed`,
  /** The voice or task does not exist. `ResourceNotExist` may also be about the path, so the list of voices decides. */
  absent: `BadRequest.VoiceNotFound InvalidParameter.ResourceNotExist ResourceNotExist VoiceNotFound VoiceNotExist
    VoiceNotExists VoiceDoesNotExist NoSuchVoice TaskNotFound TaskNotExist NoSuchTask`,
  /**
   * The balance is exhausted. Or a quota is exhausted, and the code does not say whether it is the quota of voices.
   * Waiting does not help.
   */
  quota: `AllocationQuota.FreeTierOnly AllocationQuota Arrearage QuotaExceeded QuotaExhausted AccountQuotaExceeded
    InsufficientQuota InsufficientUserQuota InsufficientBalance InsufficientBalanceError InsufficientFunds
    BillingHardLimitReached PaymentRequired`,
  /** Like `quota` if the request is about voices. After any other request, the code may mean a rate limit. */
  quotaOfVoices: `Throttling.AllocationQuota LimitExceeded ExceededQuota Account.Full`,
  rate: `Throttling.RateQuota Throttling.BurstRate Throttling Throttling.* RateLimit RateLimitExceeded RateLimitError
    TooManyRequests RequestLimitExceeded`,
  key: `InvalidApiKey AccessDenied.Unpurchased AccessDenied AccessDenied.* AuthFailure AuthFailure.* AuthenticationError
    Unauthorized InvalidToken`,
  /** The request is invalid. The service would refuse it again. */
  refused: `Audio.PreprocessError Audio.DecoderError Audio.AudioRateError Audio.DurationLimitError Audio.AudioShortError
    Audio.AudioSilentError Audio.* InvalidURL.Timeout InvalidURL InvalidURL.* InvalidParameter.DataInspection
    InvalidParameter InvalidParameter.* BadRequest.InputDownloadFailed BadRequest.TooLarge BadRequest BadRequest.*
    DataInspectionFailed`,
  /** The service itself failed. It may have done the work. */
  failed: `InternalError.Timeout InternalError.Algo InternalError InternalError.* InternalServerError SystemError
    ServerError ServiceUnavailable ModelServiceFailed RequestTimeOut GatewayTimeout Timeout DeadlineExceeded`,
  /** The code alone does not show the meaning, so the status decides. */
  open: `ModelNotFound NotFound`,
} as const;

type Listed = keyof typeof table;
export type CodeMeaning = Exclude<Listed, "quotaOfVoices" | "open">;

const meanings = new Map<string, Listed>();
for (const [meaning, codes] of Object.entries(table) as [Listed, string][])
  for (const code of codes.split(/\s+/)) meanings.set(code.endsWith(".*") ? `${plain(code)}.*` : plain(code), meaning);

/** What a code means, whatever the status is. Undefined if the status decides. */
export function codeMeaning(code: string, interfaceName: InterfaceName): CodeMeaning | undefined {
  const [, family = ""] = /^([A-Za-z]+)[._:-]\w/.exec(code) ?? [];
  const ofFamily = meanings.get(`${plain(family)}.*`) as CodeMeaning | undefined;
  const meaning = meanings.get(plain(code)) ?? ofFamily;
  if (meaning === "open") return undefined;
  if (meaning === "quotaOfVoices") return interfaceName === "voices" ? "quota" : ofFamily;
  return meaning === "full" && interfaceName !== "voices" ? "quota" : meaning;
}

/** Whether the whole code is in the table. Such a code does not quote a secret input. */
export const isListedCode = (code: string) => plain(code) !== "" && meanings.has(plain(code));

/** Whether the code is in the table, or has the first word of an entry such as `Throttling.*`. */
export const isKnownCode = (code: string) => isListedCode(code) || codeMeaning(code, "voices") !== undefined;

const successWords = new Set(
  "0 200 ok okay true success successful succeed succeeded done completed complete noerror normalend".split(" "),
);

export function isSuccessValue(value: unknown): boolean {
  if (value === true || value === 0) return true;
  const text = String(value).trim();
  // Compare only texts without letters of other alphabets, because `plain` drops such letters.
  return /^0+$/.test(text) || (/^[\w .-]+$/.test(text) && successWords.has(plain(text)));
}
