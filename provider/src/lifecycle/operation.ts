import { BilledLimit } from "../rules/billed-limit";
import { missingSettings, type Settings } from "../rules/settings";
import { audioInspector, type InspectAudio } from "../service/audio/inspect";
import type { Clock } from "../service/clock";
import { connect, type Service } from "../service/connect";
import type { Http } from "../service/http";
import { BilledRequests } from "../service/billed-requests";
import { Journal } from "../service/journal/journal";
import { type JournalStore, readOnly } from "../service/journal/note";
import { lostJournalHint, openJournalStore } from "../service/journal/open";
import { pictureStore, PictureStores } from "../service/images/picture-store";
import { type Identity, pendingIn } from "../rules/naming";
import { addressGuard } from "../rules/addresses";
import { Checks } from "./checks";
import { Given } from "./voice/given";
import { VoiceNotes } from "../service/journal/voice-notes";
import { VoiceCounts } from "./voice/counts";
import { isPlanning } from "../rules/plan-line";
import { acceptedIds } from "../rules/question";
import { EngineConnection, engineAddress } from "../engine-alive";
import type { Resource } from "./lifecycle";
import { Log } from "./log";
import { Planner } from "./plan";
import { Questions } from "./questions";
import { Underway } from "./cancel";

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
  | "settings"
  | "service"
  | "log"
  | "checks"
  | "given"
  | "plan"
  | "quota"
  | "inspectAudio"
  | "namingIdentity"
  | "pictures"
>;

export function startOperation(settings: Settings, parts: OperationParts = {}) {
  const { log = new Log() } = parts;
  const assertEngineAlive = parts.assertEngineAlive ?? new EngineConnection(engineAddress(process.argv)).assertAlive;
  const assertMaySend = async () => {
    parts.assertNotCancelled?.();
    await assertEngineAlive();
  };
  const assertAddress = addressGuard(settings, process.env);
  const service = connect(settings, {
    ...{ http: parts.http, clock: parts.clock, log: log.line },
    assertAddress,
    beforeFree: (action) => (action === "delete" ? assertMaySend() : assertEngineAlive()),
  });
  const { clock } = service;
  const checks = new Checks();
  const { environment = process.env } = parts;
  const plan = new Planner(log, isPlanning(environment));
  const journal = openJournal(settings, parts.journal, { service, log, plan });
  const problem = plan.problem({}, missingSettings(settings));
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
      assertMaySend,
      assertNoneOpen: questions.assertNoneOpen,
      limit: new BilledLimit(process.env),
      notes: { journal, clock },
    }),
    quota: new VoiceCounts(service.account),
    checks,
    given: new Given(),
    questions,
    plan,
    underway: new Underway(),
    inspectAudio: parts.inspectAudio ?? audioInspector(),
    pictures: new PictureStores({ ...settings, programFolder: process.cwd() }, parts.openPictures ?? pictureStore),
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
  { service, log, plan }: { service: Service; log: Log; plan: Planner },
): Journal {
  const opened = journalStore ?? openJournalStore(settings.journal, { ...settings, programFolder: process.cwd() });
  const store = plan.isOn ? readOnly(opened) : opened;
  const hint = journalStore === undefined ? lostJournalHint(settings.journal, process.env) : undefined;
  return new Journal(store, service.clock, log.warn, settings, hint);
}
