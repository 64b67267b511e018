export interface VoiceRules {
  voiceQuota: number;
  /** The most rows on a page, whatever the request asks for. */
  largestPage: number;
  listTotals: boolean;
  extraTargetModels: string[];
  /** The status of the quota error. The service is known to use both. */
  quotaStatus: 400 | 429;
  /** Every n-th voice is degraded. 0 means none. */
  degradeEvery: number;
  /** The time from a voice's creation until the list has it. */
  listDelayMs: number;
}
