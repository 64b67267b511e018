import { plain } from "./names";

export type InterfaceName = "voices" | "images" | "decisions";

/**
 * The one table of codes: those of the contract and of similar services, compared without case and punctuation. A code
 * that the table lacks means nothing by itself: the status decides, and under a status of success the request may have
 * been billed. `X.*`: any code whose first word is `X`, as `Throttling.BurstRate`.
 */
const table = {
  /** The account holds as many voices as it may. */
  full: `VoiceQuotaExceeded Voice.Quota.Exceeded QuotaExceeded.Voice VoiceLimitExceeded LimitExceeded.Voice VoiceLimitReached
    MaxVoicesReached MaximumNumberOfVoicesReached TooManyVoices NoMoreVoices InsufficientVoiceQuota ExceedQuota.CustomVoice
    VoiceNumExceed`,
  /** The voice or the task does not exist. "Resource" may also mean the path, so the list decides. */
  absent: `BadRequest.VoiceNotFound InvalidParameter.ResourceNotExist ResourceNotExist VoiceNotFound VoiceNotExist
    VoiceNotExists VoiceDoesNotExist NoSuchVoice TaskNotFound TaskNotExist NoSuchTask`,
  /** An exhausted balance, or a quota that the code does not assign to voices. Waiting does not help. */
  quota: `AllocationQuota.FreeTierOnly AllocationQuota Arrearage QuotaExceeded QuotaExhausted AccountQuotaExceeded
    InsufficientQuota InsufficientUserQuota InsufficientBalance InsufficientBalanceError InsufficientFunds
    BillingHardLimitReached PaymentRequired`,
  /** Like `quota`, if the call is about voices. For other calls it may be a rate. */
  quotaOfVoices: `Throttling.AllocationQuota LimitExceeded ExceededQuota Account.Full`,
  rate: `Throttling.RateQuota Throttling.BurstRate Throttling Throttling.* RateLimit RateLimitExceeded RateLimitError
    TooManyRequests RequestLimitExceeded`,
  key: `InvalidApiKey AccessDenied.Unpurchased AccessDenied AccessDenied.* AuthFailure AuthFailure.* AuthenticationError
    Unauthorized InvalidToken`,
  /** The same request will be refused again. */
  refused: `Audio.PreprocessError Audio.DecoderError Audio.AudioRateError Audio.DurationLimitError Audio.AudioShortError
    Audio.AudioSilentError Audio.* InvalidURL.Timeout InvalidURL InvalidURL.* InvalidParameter.DataInspection
    InvalidParameter InvalidParameter.* BadRequest.InputDownloadFailed BadRequest.TooLarge BadRequest BadRequest.*
    DataInspectionFailed`,
  /** A failure of the service itself: the work may have been done. */
  failed: `InternalError.Timeout InternalError.Algo InternalError InternalError.* InternalServerError SystemError
    ServerError ServiceUnavailable ModelServiceFailed RequestTimeOut GatewayTimeout Timeout DeadlineExceeded`,
  /** The status decides. */
  open: `ModelNotFound NotFound`,
} as const;

type Listed = keyof typeof table;
export type CodeMeaning = Exclude<Listed, "quotaOfVoices" | "open">;

const meanings = new Map<string, Listed>();
for (const [meaning, codes] of Object.entries(table) as [Listed, string][])
  for (const code of codes.split(/\s+/)) meanings.set(code.endsWith(".*") ? `${plain(code)}.*` : plain(code), meaning);

/** What a code means, with any status. */
export function codeMeaning(code: string, interfaceName: InterfaceName): CodeMeaning | undefined {
  const [, family = ""] = /^([A-Za-z]+)[._:-]\w/.exec(code) ?? [];
  const ofFamily = meanings.get(`${plain(family)}.*`) as CodeMeaning | undefined;
  const meaning = meanings.get(plain(code)) ?? ofFamily;
  if (meaning === "open") return undefined;
  if (meaning === "quotaOfVoices") return interfaceName === "voices" ? "quota" : ofFamily;
  return meaning === "full" && interfaceName !== "voices" ? "quota" : meaning;
}

/** Whether the table has the whole code. Such a code can't quote a secret. */
export const isListedCode = (code: string) => plain(code) !== "" && meanings.has(plain(code));

/** Whether the table has the code, or an entry for codes that begin like it. */
export const isKnownCode = (code: string) => isListedCode(code) || codeMeaning(code, "voices") !== undefined;

/** The values by which a code or a state says that the call was done. */
const successWords = new Set(
  "0 200 ok okay true success successful succeed succeeded done completed complete noerror normalend".split(" "),
);

export function isSuccessValue(value: unknown): boolean {
  if (value === true || value === 0) return true;
  const text = String(value).trim();
  // Letters of other alphabets are lost in `plain`.
  return /^0+$/.test(text) || (/^[\w .-]+$/.test(text) && successWords.has(plain(text)));
}
