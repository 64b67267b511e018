import { missingSettings } from "../rules/preview-lines";
import { BilledLimit } from "../rules/billed-limit";
import type { Settings } from "../rules/settings";
import { audioInspector, type InspectAudio } from "../service/audio/inspect";
import type { Clock } from "../service/clock";
import { connect, type Service } from "../service/connect";
import type { Http } from "../service/http";
import { BilledRequests } from "../service/billed-requests";
import { Journal } from "../service/journal/journal";
import { type JournalStore, readOnly } from "../service/journal/store";
import { lostJournalHint, openJournalStore } from "../service/journal/open";
import { pictureStore } from "../service/images/picture-store";
import type { Identity } from "../rules/naming";
import { addressGuard } from "../rules/addresses";
import { Checks } from "./checks";
import { Given } from "./voice/given";
import { VoiceNotes } from "../service/journal/voice-notes";
import { VoiceCounts } from "./voice/counts";
import { isPlanning } from "../rules/plan-line";
import { pendingIn } from "../rules/pending-creates";
import { acceptedIds } from "../rules/question";
import { EngineConnection, engineAddress } from "../engine-alive";
import type { Resource } from "./lifecycle";
import { Log } from "./log";
import { Planner } from "./plan";
import { Questions } from "./questions";
import { Underway } from "./underway";

export interface OperationParts {
  log?: Log;
  assertEngineAlive?: () => Promise<void>;
  /** Throws after a cancel. Default: never throws. */
  assertNotCancelled?: () => void;
  http?: Http;
  clock?: Clock;
  inspectAudio?: InspectAudio;
  openPictures?: typeof pictureStore;
  journal?: JournalStore;
  /** Default: from the environment. */
  billedLimit?: BilledLimit;
  /** Default: that of this process. */
  environment?: NodeJS.ProcessEnv;
  /** The ids of questions to which a person has said yes. Default: from the environment. */
  accepted?: ReadonlySet<string>;
}

/**
 * The objects that the resources of one operation (an update, a preview, a refresh or a destroy) share. A function that
 * takes it may pay, delete, note or ask.
 */
export type Operation = ReturnType<typeof startOperation>;

/** The part for functions that pay, delete, note and ask nothing. */
export type Reading = Pick<
  Operation,
  "settings" | "service" | "log" | "checks" | "given" | "plan" | "quota" | "inspectAudio" | "namingIdentity"
>;

export function startOperation(settings: Settings, parts: OperationParts = {}) {
  const { log = new Log() } = parts;
  const assertEngineAlive = parts.assertEngineAlive ?? new EngineConnection(engineAddress(process.argv)).assertAlive;
  const assertAddress = addressGuard(settings, process.env);
  const service = connect(settings, {
    ...{ http: parts.http, clock: parts.clock, log: log.line },
    assertAddress,
    beforeFree: async (action) => {
      await assertEngineAlive();
      if (action === "delete") parts.assertNotCancelled?.();
    },
  });
  const { clock } = service;
  const checks = new Checks();
  const { environment = process.env } = parts;
  const plan = new Planner(log, isPlanning(environment));
  const journal = openJournal(settings, parts.journal, { service, checks, log, plan });
  const problem = missingSettings.write(settings);
  if (problem !== undefined) log.warn(problem);
  const accepted = parts.accepted ?? acceptedIds(process.env);
  const questions = new Questions({ accepted, now: () => clock.now(), log });
  return {
    settings,
    service,
    log,
    assertAddress,
    journal,
    /** The notes of voices in the journal. */
    notes: new VoiceNotes({
      ...{ journal, account: service.voiceFingerprint },
      ...{ pending: pendingIn(environment), startedAtMs: clock.now() },
    }),
    billed: new BilledRequests({
      assertMaySend: async () => {
        parts.assertNotCancelled?.();
        await assertEngineAlive();
      },
      assertNoneOpen: questions.assertNoneOpen,
      limit: parts.billedLimit ?? new BilledLimit(process.env),
      notes: { journal, clock },
    }),
    quota: new VoiceCounts(service.account),
    checks,
    given: new Given(),
    questions,
    plan,
    underway: new Underway(),
    inspectAudio: parts.inspectAudio ?? audioInspector(),
    openPictures: parts.openPictures ?? pictureStore,
    /**
     * The part of the identity on which generated names depend. Self-managed backends call every organization
     * `organization`.
     */
    namingIdentity: (identity: Resource["identity"]): Identity | undefined =>
      identity && { namespace: settings.namespace ?? identity.organization ?? "organization", urn: identity.urn },
  };
}

function openJournal(
  settings: Settings,
  journalStore: JournalStore | undefined,
  { service, checks, log, plan }: { service: Service; checks: Checks; log: Log; plan: Planner },
): Journal {
  const opened = journalStore ?? openJournalStore(settings.journal, { ...settings, programFolder: process.cwd() });
  const store = plan.isOn ? readOnly(opened) : opened;
  const hint = journalStore === undefined ? lostJournalHint(settings.journal, process.env) : undefined;
  const mayMatter = () => checks.hasOtherAccount(service.voiceFingerprint());
  return new Journal(store, service.clock, log.warn, settings, hint, mayMatter);
}
