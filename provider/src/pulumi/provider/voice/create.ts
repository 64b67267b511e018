import { resolve } from "node:path";
import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError } from "../../../errors";
import { resolveExistingVoice } from "../../../rules/existing-voice";
import { afterFailedCreate, lookWaitsMs } from "../../../rules/lost-create";
import { voiceCarriesName } from "../../../rules/naming";
import { createdAtOfVoice } from "../../../rules/time";
import { type CheckedVoice, hasGeneratedName, type VoiceOutputs } from "../../../rules/voice";
import type { AudioSource, ListedVoice, VoiceRequest } from "../../../service/voices/client";
import type { Sending } from "../../../service/billed-requests";
import { mayBeSecret, type Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { audioFile } from "./recording";

/** What a create adds to the inputs. */
export type MadeVoice = Pick<VoiceOutputs, "voice" | "createdAt" | "degraded" | "degradedReason" | "requestId">;

/**
 * Creates a voice exactly once, although the interface has no idempotency key.
 *
 * A generated name identifies one resource with one content (rules/naming.ts), so a voice of that name that no one
 * holds is the one we want: created by a run that was killed, or by this one when the response was lost. A chosen
 * name identifies nothing, so only a voice that appeared since the create was sent can be ours.
 */
export async function createVoice(operation: Operation, inputs: CheckedVoice, resource: Resource): Promise<MadeVoice> {
  const create = new VoiceCreate(operation, inputs, resource);
  // Creates of one name run in order: otherwise a lost response could be resolved with the voice of the next create.
  const made = await operation.createQueue.run(inputs.preferredName, () => create.run());
  if (made.degraded) {
    const reason = made.degradedReason === undefined ? "" : ` (${made.degradedReason})`;
    operation.log.line(
      `the voice ${made.voice} is degraded: the service created it, and billed it, in poorer quality${reason}. ` +
        "To improve it, use a better recording: that replaces the voice, and is billed",
    );
  }
  // A refresh that comes before the list shows the voice must know that it is young, so our own clock is the last resort.
  const now = new Date(operation.service.clock.now()).toISOString().replace(/\.\d+/, "");
  return { ...made, createdAt: made.createdAt ?? createdAtOfVoice(made.voice) ?? now };
}

class VoiceCreate {
  private readonly isGenerated: boolean;
  private readonly noteKey: string | undefined;

  constructor(
    private readonly operation: Operation,
    private readonly inputs: CheckedVoice,
    private readonly resource: Resource,
  ) {
    this.isGenerated = hasGeneratedName(inputs);
    this.noteKey = operation.evidence.createKey(inputs);
  }

  async run(): Promise<MadeVoice> {
    const { service, ownership, billed } = this.operation;
    const request = await this.request();
    const named = await this.namedBefore();
    const existing = (await this.reusable(named)) ?? (await this.interrupted(named));
    const made = existing
      ? reuse(existing)
      : await billed.send(
          this.noteKey,
          (sending) => this.send(request, named, sending),
          ({ voice }) => ({ id: voice }),
        );
    if (existing) ownership.claim(made.voice, this.inputs, this.resource);
    else ownership.claimMade(made.voice, this.inputs, this.resource);
    service.account.add({ voice: made.voice, targetModel: this.inputs.targetModel, gmtCreate: made.createdAt });
    if (existing && this.noteKey !== undefined) await billed.foundInstead(this.noteKey, made.voice);
    return made;
  }

  private async request(): Promise<VoiceRequest> {
    const { targetModel, preferredName, text, language } = this.inputs;
    return {
      ...{ targetModel, preferredName, text, language },
      audio: await recording(this.operation, this.inputs, this.resource),
      secret: mayBeSecret({ secrets: sentSecrets(this.resource) }),
    };
  }

  /** The voices with this name. For a chosen one, a voice that was there before must not be mistaken for ours. */
  private namedBefore(): Promise<ListedVoice[]> {
    const { preferredName, targetModel } = this.inputs;
    const { account } = this.operation.service;
    return this.isGenerated
      ? account.named(preferredName, targetModel)
      : account.namedNow({ preferredName, targetModel, generated: false });
  }

  /** The voice to use instead of paying for another, except those that an interrupted replacement was to replace. */
  private async reusable(named: ListedVoice[]): Promise<ListedVoice | undefined> {
    const replaced = await this.replacedByInterrupted(named);
    return this.take(named.filter(({ voice }) => !replaced.has(voice)));
  }

  private async take(named: ListedVoice[]): Promise<ListedVoice | undefined> {
    const { reuse: found, lines, reject } = await judgeExisting(this.operation, this.inputs, this.resource, named);
    lines.forEach(this.operation.log.line);
    if (reject !== undefined) throw new InputError(reject);
    return found;
  }

  /**
   * The voices that an interrupted replacement was to replace: the state still has them under this URN. The voice that
   * the interrupted create made is looked for before one of these is reused.
   */
  private async replacedByInterrupted(named: ListedVoice[]): Promise<ReadonlySet<string>> {
    const { evidence } = this.operation;
    if (named.length === 0 || (await evidence.unfinishedSince(this.inputs)) === undefined) return new Set();
    const holders = (await evidence.holders()) ?? [];
    const others = new Set(await this.operation.states.beside(this.resource.identity, holders));
    return new Set(holders.filter((holder) => !others.has(holder)).map(({ voice }) => voice));
  }

  /** Looks for the voice of a create that an interrupted run sent, until it can't appear any more. */
  private async interrupted(known: ListedVoice[]): Promise<ListedVoice | undefined> {
    if (!this.isGenerated) return undefined;
    const { clock, account } = this.operation.service;
    const leftMs = await this.leftToAppearMs(known);
    if (leftMs === undefined) return this.takeReplaced(known);
    // Even when the time is over: the list that the operation read first may be older than the voice.
    for (const waitMs of [0, ...lookWaitsMs(leftMs)]) {
      await clock.sleep(waitMs);
      const appeared = await this.appearedSince(known);
      const found = appeared.length > 0 ? await this.reusable(appeared) : undefined;
      if (found) return found;
    }
    return this.takeReplaced(await account.named(this.inputs.preferredName, this.inputs.targetModel));
  }

  private async takeReplaced(named: ListedVoice[]): Promise<ListedVoice | undefined> {
    const replaced = await this.replacedByInterrupted(named);
    return this.take(named.filter(({ voice }) => replaced.has(voice)));
  }

  /** How long the voice of an interrupted create may still take to appear: its time-out and the settle time. */
  private async leftToAppearMs(known: ListedVoice[]): Promise<number | undefined> {
    const { settings, service, log, evidence } = this.operation;
    const since = await evidence.unfinishedSince(this.inputs, known);
    if (since === undefined) return undefined;
    const leftMs = since + settings.requestTimeoutMs + settings.settleMs - service.clock.now();
    if (leftMs > 0) {
      log.once(
        "unfinished creates",
        "an earlier run was interrupted while it created voices, and whether the service did so is not known. " +
          `Before they are created again, they are looked for during ${Math.ceil(leftMs / 1000)} s ` +
          "(settleSeconds, requestTimeoutSeconds)",
      );
    }
    return leftMs;
  }

  /** Sends the create until its outcome is known. After each lost response the list shows whether the voice exists. */
  private async send(request: VoiceRequest, known: ListedVoice[], sending: Sending): Promise<MadeVoice> {
    const { service, log } = this.operation;
    for (let attempt = 0; ; attempt++) {
      try {
        const { targetModel, ...made } = await service.voices.create(request, sending);
        if (targetModel !== request.targetModel) log.warn(boundToAnother(made.voice, targetModel));
        return made;
      } catch (error) {
        const after = afterFailedCreate(error);
        const found = after && (await this.lookFor(known, after.lost));
        if (found) {
          log.line(
            `the response to creating ${request.preferredName} was lost, but the voice exists: ${found.voice}, ` +
              "paid once (whether it is degraded is not known)",
          );
          return reuse(found);
        }
        if (after?.mayResend) await sending.forget();
        // A full account refuses it again, whatever the service calls that.
        const full = await service.account.errorIfFull(error);
        if (full || !after?.mayResend || attempt >= service.maxRetries) throw full ?? error;
      }
    }
  }

  /** Looks into the account's list for the voice of a create whose response was lost. */
  private async lookFor(known: ListedVoice[], lost: CloudVoiceError): Promise<ListedVoice | undefined> {
    const { service, settings, log } = this.operation;
    const { preferredName } = this.inputs;
    let unsure: ListedVoice[] = [];
    for (const [look, waitMs] of lookWaitsMs(settings.settleMs).entries()) {
      if (look === 3) {
        log.line(
          `the response to creating ${preferredName} was lost (${lost.reason}). Its voice may appear in the account's list late, ` +
            `so it is looked for during ${settings.settleMs / 1000} s before the create is sent again`,
        );
      }
      await service.clock.sleep(waitMs);
      const appeared = await this.appearedSince(known).catch((error: unknown) => {
        throw lost.amend({ advice: `Its voice could not be looked for: ${describeThrown(error).message}` });
      });
      // The list may also show a voice late that a resource has held for a moment, or still show a deleted one.
      const made: ListedVoice[] = [];
      for (const row of appeared) if (!(await this.isOlder(row.voice))) made.push(row);
      const named = made.filter(({ voice }) => voiceCarriesName(voice, preferredName, this.isGenerated));
      if (named.length > 1 && !this.isGenerated) throw new AmbiguousVoiceError(preferredName, named, lost);
      if (named.length > 0) return youngest(named);
      unsure = made;
    }
    if (unsure.length > 0) throw new AmbiguousVoiceError(preferredName, unsure, lost);
    return undefined;
  }

  private async appearedSince(known: ListedVoice[]): Promise<ListedVoice[]> {
    const { preferredName, targetModel } = this.inputs;
    const before = new Set(known.map((row) => row.voice));
    const named = await this.operation.service.account.namedNow({
      ...{ preferredName, targetModel, generated: this.isGenerated },
    });
    return named.filter((row) => !before.has(row.voice));
  }

  /** Whether the voice is older than this create: a saved state or this operation has it, or a run deleted it. */
  private async isOlder(voice: string): Promise<boolean> {
    const { evidence, ownership } = this.operation;
    const holders = (await evidence.holders()) ?? [];
    const isHeld = ownership.isHeld(voice) || holders.some((holder) => holder.voice === voice);
    return isHeld || evidence.wasDeleted(voice);
  }
}

/**
 * What a create would do with the voices that have its name. With `replaceWith` and `replacementTrigger`, the voice that
 * the resource has is to be replaced, and not to be reused.
 */
export async function judgeExisting(
  { ownership, service, settings, evidence, states }: Operation,
  inputs: CheckedVoice,
  resource: Resource,
  found: ListedVoice[],
) {
  const generated = hasGeneratedName(inputs);
  const existing: ListedVoice[] = [];
  for (const row of found) {
    const isNamed = voiceCarriesName(row.voice, inputs.preferredName, generated);
    if (isNamed && !(await evidence.wasDeleted(row.voice))) existing.push(row);
  }
  const mayTake = generated && existing.length > 0;
  const everywhere = mayTake ? await evidence.holders("everywhere") : [];
  const holders = everywhere ?? (await evidence.holders()) ?? [];
  const others = await states.beside(resource.identity, holders);
  const own = holders.filter((holder) => holder.isReplacedOnDemand && !holder.isOld && !others.includes(holder));
  const free = existing.filter(({ voice }) => !own.some((holder) => holder.voice === voice));
  return resolveExistingVoice(inputs.preferredName, free, {
    generated,
    holderOf: (voice) => ownership.holderBeside(voice, others),
    statesKnown: everywhere !== undefined,
    // The voice that the journal names belongs to the unfinished create as well.
    unfinished: mayTake && (await evidence.unfinishedSince(inputs)) !== undefined,
    takeOver: settings.takeOver,
    nowMs: service.clock.now(),
  });
}

/** The rights are not sent, so the service can't repeat them. */
function sentSecrets({ secrets }: Resource): Resource["secrets"] {
  return secrets && new Set([...secrets].filter((name) => name !== "rights"));
}

/** The recording that `check` has seen. */
async function recording(operation: Operation, inputs: CheckedVoice, { secrets }: Resource): Promise<AudioSource> {
  const { audio, audioSha256 } = inputs;
  const file = await audioFile(operation, audio);
  if (file === undefined) return { url: audio };
  if (file.state !== "audio" || file.sha256 !== audioSha256) {
    const name = secrets === undefined || secrets.has("audio") ? "the audio file" : audio;
    throw new InputError(`${name} changed after it was checked and before it was sent. Run the update again`);
  }
  return { path: resolve(audio), kind: file.kind, bytes: file.bytes, sha256: file.sha256 };
}

class AmbiguousVoiceError extends CloudVoiceError {
  constructor(preferredName: string, appeared: ListedVoice[], lost: CloudVoiceError) {
    const voices = appeared.map((row) => row.voice).join(", ");
    super(
      `the response to creating ${preferredName} was lost, and each of these new voices may be its own: ${voices}`,
      {
        advice: "Set adopt to the one that is yours, or leave preferredName out.",
        billed: "unknown",
        cause: lost,
      },
    );
  }
}

/** The declared model stays in the state: with the service's own, each run would replace the voice. */
export function boundToAnother(voice: string, model: string): string {
  return (
    `the service says that the voice ${voice} is bound to the model ${model}, and not to the declared one. ` +
    "Synthesis calls fail unless they name the model that the voice is bound to"
  );
}

function youngest(rows: ListedVoice[]): ListedVoice | undefined {
  return [...rows].sort((a, b) => (b.gmtCreate ?? "").localeCompare(a.gmtCreate ?? ""))[0];
}

function reuse({ voice, gmtCreate }: ListedVoice): MadeVoice {
  return { voice, createdAt: gmtCreate, degraded: false };
}
