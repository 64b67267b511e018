import type { Prices, PriceTexts } from "../../rules/price";
import type { Question } from "../../rules/question";
import type { Settings } from "../../rules/settings";
import type { StackName } from "../../stacks/names";
import type { Unread } from "../../stacks/states";
import type { VoiceHolder } from "../../voices/holder";
import type { LastOperation } from "../stack";
import type { ChangeContext } from "./change";
import type { Preview } from "./preview";
import type { Limits } from "./forms";
import type { AccountVoices } from "./account";

type Addresses = "voiceBaseUrl" | "imageBaseUrl" | "decisionBaseUrl";
type FromSettings = Addresses | "voiceQuota" | "quotaCheck" | "stackQuota" | "forms";
type FromContext = Partial<
  Pick<ChangeContext, "elsewhere" | "statesKnown" | "namespace" | "hasFile" | "unfinished" | "deletedVoices">
>;

export interface Asking {
  backend: string;
  /** The ids of the questions to which a person has said yes. */
  accepted: ReadonlySet<string>;
}

export interface ReviewFacts extends Pick<Settings, FromSettings>, FromContext, Prices {
  preview: Preview;
  /** The name of the stack. A preview without steps does not contain this name. */
  named?: StackName;
  account: AccountVoices;
  isKeyRefused?: boolean;
  /** Why the account's list does not prove that a voice is gone. */
  doubt?: string | undefined;
  /** The URNs of images whose tasks the service may no longer know, and what the service reported about each task. */
  doubtfulTasks?: ReadonlyMap<string, string | undefined>;
  /** Missing voices of the stack that no refresh asks about: runs of the last two days deleted them. */
  explained?: ReadonlySet<string> | undefined;
  asking?: Asking;
  /** The questions to answer before the key is sent to the addresses in the settings. */
  addressQuestions?: readonly Question[];
  fingerprint?: string;
  unread?: readonly Unread[];
  /** Why notes of the journal may be missing. Empty if the journal was read. */
  unreadJournal?: ReadonlySet<string>;
  /** The voices that the update may delete, and whose names do not show that they were made for their resources. */
  foreign?: readonly string[];
  held?: VoiceHolder[] | undefined;
  last?: LastOperation | undefined;
  /** The prices in the stack's configuration that the environment does not override. */
  filePrices?: PriceTexts;
  limits?: Limits;
  /** Facts about the run that the reviewer should know. */
  notes?: string[];
  nowMs: number;
  /** The service's time, for the ages of voices and the ends of rights. Default: `nowMs`. */
  todayMs?: number;
}
