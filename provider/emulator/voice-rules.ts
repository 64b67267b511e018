export interface VoiceRules {
  voiceQuota: number;
  /** The most rows of a page, even if the request asks for more. */
  largestPage: number;
  listTotals: boolean;
  extraTargetModels: string[];
  /** The status of the error for a full account. The service is known to use both. */
  quotaStatus: 400 | 429;
  /** How often a voice is degraded: every n-th voice. 0 means never. */
  degradeEvery: number;
  /** The time in milliseconds from a voice's creation until the list contains it. */
  listDelayMs: number;
}
