export interface VoiceRules {
  voiceQuota: number;
  /** The largest number of rows on a page, whatever page size the request asks for. */
  largestPage: number;
  listTotals: boolean;
  extraTargetModels: string[];
  /** The status of the quota error: the service is known to use both. */
  quotaStatus: 400 | 429;
  /** Every n-th voice is degraded. 0 means none. */
  degradeEvery: number;
  /** How long after its creation a voice appears in the list. */
  listDelayMs: number;
}
