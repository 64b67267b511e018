import { oncePer } from "../../../once";
import { QuestionError } from "../../../rules/question";
import type { Settings } from "../../../rules/settings";
import type { VoiceOutputs } from "../../../rules/voice";
import { UncertainListError } from "../../../service/voices/account";
import type { Service } from "../../../service/connect";
import type { Journal } from "../../../service/journal/journal";
import { stackOfHolder, stackOfUrn } from "../../../stacks/names";
import type { Unread } from "../../../stacks/states";
import type { VoiceFacts } from "../../../voices/facts";
import { unreadQuestion } from "../../../voices/judge/delete";
import {
  deletedQuestion,
  keyQuestion,
  type Loss,
  missingIn,
  missingQuestion,
  vanishedQuestion,
} from "../../../voices/judge/missing";
import type { Resource } from "../lifecycle";
import type { Questions } from "../questions";

interface Known {
  service: Service;
  facts: VoiceFacts;
  settings: Settings;
  questions: Questions;
  journal: Pick<Journal, "wasDeleted">;
}

/** Asks a person before the operation concludes that voices of a state do not exist. */
export class MissingVoices {
  /** The missing voices that were looked up. If no state can be read, they count as the voices of the stack. */
  private readonly missing = new Set<string>();
  private hasFound = false;

  constructor(private readonly known: Known) {}

  readonly recordFound = () => void (this.hasFound = true);

  /** Throws a question if a person must decide whether the voice is gone. `doubt`: why the list does not prove it. */
  async assertGone(voice: string, doubt: string | undefined): Promise<void> {
    const { facts, settings, questions, journal } = this.known;
    if (doubt === undefined && (await journal.wasDeleted(voice))) return;
    this.missing.add(voice);
    const { unread } = await facts.holders("project");
    const stacks = new Set((await facts.holdersOf(voice)).map(({ stack }) => stack));
    const losses = await Promise.all([...stacks].map(this.lossOf));
    // The stack is not known if the states can't be read, or if the resource is an old copy, which a replacement has
    // not deleted yet.
    if (losses.length === 0 && (doubt !== undefined || (unread.length > 0 && !this.hasFound)))
      losses.push({ stack: "", held: this.missing.size, missing: this.missing.size });
    for (const loss of losses) {
      // The first list of the operation may still show this voice, so count at least one voice as missing.
      const missing = Math.max(1, loss.missing);
      const question = missingQuestion({ ...loss, missing, doubt }, { ...settings, origin: settings.voiceBaseUrl });
      if (question) await questions.assertAccepted(question, `the voice ${voice} counts as gone`);
    }
  }

  private readonly lossOf = oncePer(async (stack: string): Promise<Loss> => {
    const { facts, service, journal } = this.known;
    const own = (await facts.holders("project")).holders.filter((holder) => holder.stack === stack);
    const listed = await service.account.voices();
    const present = new Set(listed.map(({ voice }) => voice));
    const missing = own.map(({ voice }) => voice).filter((voice) => !present.has(voice));
    const deleted = await Promise.all(missing.map((voice) => journal.wasDeleted(voice)));
    const explained = new Set(missing.filter((_, index) => deleted[index]));
    const counts = missingIn(own, listed, service.voiceFingerprint(), explained);
    return { stack: own[0] ? stackOfHolder(own[0]) : "", ...counts };
  });
}

/** Asks a person, once for all deletes, before voices are deleted that unreadable states may hold. */
export class DoubtfulDeletes {
  private readonly voices = new Set<string>();

  constructor(private readonly known: Pick<Known, "settings" | "questions">) {}

  async assertAllowed(voice: string, unread: readonly Unread[], { identity }: Resource): Promise<void> {
    const { settings, questions } = this.known;
    this.voices.add(voice);
    const about = { stack: stackOfUrn(identity?.urn), origin: settings.voiceBaseUrl };
    await questions.assertAccepted(unreadQuestion([...this.voices], unread, about), `the voice ${voice} is deleted`);
  }
}

/**
 * Whether a voice is gone after its delete was sent. Asks a person if the list does not prove this: without the
 * question, each run would fail.
 */
export async function isGoneOrAccepted(
  { facts, settings, questions }: Known,
  voice: string,
  { createdAt }: VoiceOutputs,
  resource: Resource,
): Promise<boolean> {
  try {
    return await facts.isGone(voice, createdAt);
  } catch (error) {
    if (!(error instanceof UncertainListError)) throw error;
    const stack = await facts.stackOf(voice, resource);
    const question = deletedQuestion(voice, stack, error.doubt, settings.voiceBaseUrl);
    await questions.assertAccepted(question, `the voice ${voice} counts as deleted`);
    return true;
  }
}

/**
 * The voices that have left the list since the operation first read it. Asks a person if the list does not prove this.
 */
export async function goneAtEnd<T extends { voice: string }>(
  { facts, settings, questions }: Known,
  voices: T[],
  resource: Resource,
): Promise<T[]> {
  const ended = await facts.goneAtEnd(voices);
  for (const { gone, doubt } of ended) {
    if (doubt === undefined) continue;
    const stack = await facts.stackOf(gone.voice, resource);
    const question = vanishedQuestion(gone.voice, stack, doubt, { ...settings, origin: settings.voiceBaseUrl });
    await questions.assertAccepted(question, `the voice ${gone.voice} counts as deleted`);
  }
  return ended.map(({ gone }) => gone);
}

/** Throws a question if the voice may be in another account. */
export async function assertSameAccount(
  { service, facts, settings, questions }: Known,
  what: string,
  id: string,
  { account: recorded }: Pick<VoiceOutputs, "account">,
  resource?: Pick<Resource, "identity">,
): Promise<void> {
  if (await facts.isSameAccount(recorded)) return;
  const stack = await facts.stackOf(id, resource);
  const question = keyQuestion(what, id, recorded, service.voiceFingerprint(), stack, settings.voiceBaseUrl);
  await questions.assertAccepted(question, `the key counts as one of the account ${recorded}`);
}

/** Throws a question before a new voice is paid for, if the account has none of the stack's voices. */
export async function assertAccountOfStack(known: Known, resource: Resource): Promise<void> {
  const { facts } = known;
  const accounts = await facts.accountsOfStack(resource);
  try {
    for (const account of accounts.keys()) if (await facts.isSameAccount(account)) return;
  } catch {
    return; // A preview goes on without a service.
  }
  const [first] = accounts;
  if (first === undefined) return;
  const [account, voice] = first;
  await assertSameAccount(known, "of this stack is not in this account", voice, { account }, resource);
}

/**
 * Throws a question before a replacement is paid for, if the old voice may be in another account, from which this key
 * could not delete it.
 */
export async function assertReplaceable(
  known: Known,
  id: string,
  state: VoiceOutputs,
  resource: Resource,
): Promise<void> {
  const { service } = known;
  try {
    if (state.account === service.voiceFingerprint() || (await service.account.find(id)) !== undefined) return;
    await assertSameAccount(known, "can't be replaced: it is not in this account", id, state, resource);
  } catch (error) {
    // If there is no key, or the service does not answer, a preview goes on. The update reports the error.
    if (error instanceof QuestionError) throw error;
  }
}
