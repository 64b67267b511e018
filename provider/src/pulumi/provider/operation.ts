import { missingSettings } from "../../rules/preview-lines";
import { BilledLimit } from "../../rules/billed-limit";
import type { Settings } from "../../rules/settings";
import { audioInspector, type InspectAudio } from "../../service/audio/inspect";
import type { Clock } from "../../service/clock";
import { connect, type Service } from "../../service/connect";
import type { Http } from "../../service/http";
import { BilledRequests } from "../../service/billed-requests";
import { Journal } from "../../service/journal/journal";
import type { JournalStore } from "../../service/journal/store";
import { lostJournalHint, openJournalStore } from "../../service/journal/open";
import { pictureStore } from "../../service/images/picture-store";
import { KeyedQueue } from "../../service/keyed-queue";
import { placeOfEngine, pulumiStates } from "../../stacks/pulumi-states";
import { type StateReader, States } from "../../stacks/states";
import type { Identity } from "../../rules/naming";
import { Calls } from "../../voices/calls";
import { EarlierRuns } from "../../voices/earlier-runs";
import { VoiceFacts } from "../../voices/facts";
import { judge } from "../../voices/judge";
import { QuotaPlan } from "../../voices/judge/voice-count";
import { acceptedIds } from "../../rules/question";
import { EngineConnection, engineAddress } from "../shared/engine-alive";
import type { Resource } from "./lifecycle";
import { Addresses } from "./addresses";
import { Log } from "./log";
import { Questions } from "./questions";
import { Underway } from "./underway";
import { DoubtfulDeletes, MissingVoices } from "./voice/ask";
import { VoicesByHand } from "./voice/by-hand";

export interface OperationParts {
  log?: Log;
  assertEngineAlive?: () => Promise<void>;
  /** Throws after a cancel. Default: never throws. */
  assertNotCancelled?: () => void;
  http?: Http;
  clock?: Clock;
  inspectAudio?: InspectAudio;
  openPictures?: typeof pictureStore;
  states?: StateReader;
  journal?: JournalStore;
  /** Default: from the environment. */
  billedLimit?: BilledLimit;
  /** The ids of questions to which a person has said yes. Default: from the environment. */
  accepted?: ReadonlySet<string>;
  /** Default: that of {@link Underway}. */
  quietMs?: number;
}

/** The objects that the resources of one operation (an update, a preview, a refresh or a destroy) share. */
export type Operation = ReturnType<typeof startOperation>;

export function startOperation(settings: Settings, parts: OperationParts = {}) {
  const { log = new Log() } = parts;
  const assertEngineAlive = parts.assertEngineAlive ?? new EngineConnection(engineAddress(process.argv)).assertAlive;
  const assertMayBill = async () => {
    parts.assertNotCancelled?.();
    await assertEngineAlive();
  };
  const service = connect(settings, {
    ...{ http: parts.http, clock: parts.clock, log: log.line },
    assertAddress: (kind) => addresses.assertUsable(kind),
    beforeFree: assertEngineAlive,
  });
  const startedAtMs = service.clock.now();
  const states = new States(parts.states ?? pulumiStates(placeOfEngine));
  const journal = openJournal(settings, parts.journal, service, states, log);
  const problem = missingSettings.write(settings);
  if (problem !== undefined) log.warn(problem);
  const accepted = parts.accepted ?? acceptedIds(process.env);
  const questions = new Questions({ accepted, now: () => service.clock.now(), backend: states.backend, log });
  const facts = new VoiceFacts({ service, settings, states, log, startedAtMs });
  const addresses = new Addresses({ settings, states, questions, fingerprint: service.fingerprintOf });
  return {
    settings,
    service,
    log,
    states,
    addresses,
    journal,
    billed: new BilledRequests({
      assertEngineAlive: assertMayBill,
      assertMayBegin: questions.assertNoneOpen,
      limit: parts.billedLimit ?? new BilledLimit(process.env),
      notes: { journal, clock: service.clock, isShared: states.isOneOfSeveral },
    }),
    /** The changes of this update to the number of voices. */
    quota: new QuotaPlan(),
    calls: new Calls(),
    facts,
    /** The billed requests of earlier runs whose results are not in a state. */
    earlier: new EarlierRuns({ journal, states, startedAtMs, fingerprint: () => service.voiceFingerprint() }),
    missing: new MissingVoices({ service, facts, settings, questions, journal }),
    deletes: new DoubtfulDeletes({ settings, questions }),
    byHand: new VoicesByHand({ service, states, facts, settings, questions, log }),
    judge: { ...judge },
    questions,
    underway: new Underway(service.clock, parts.quietMs),
    inspectAudio: parts.inspectAudio ?? audioInspector(service.apart),
    openPictures: parts.openPictures ?? pictureStore,
    createQueue: new KeyedQueue(),
    /**
     * The part of the identity on which generated names depend. Self-managed backends call every organization
     * `organization`.
     */
    namingIdentity: (identity: Resource["identity"]): Identity | undefined =>
      identity && { namespace: settings.namespace ?? identity.organization ?? "organization", urn: identity.urn },
    /** Rejects after a cancel, and after the engine has exited, because the engine would not save a paid result. */
    assertEngineAlive: assertMayBill,
  };
}

function openJournal(
  settings: Settings,
  given: JournalStore | undefined,
  service: Service,
  states: States,
  log: Log,
): Journal {
  const store = given ?? openJournalStore(settings.journal, { ...settings, programFolder: process.cwd() });
  const hint = given === undefined ? lostJournalHint(settings.journal, process.env) : undefined;
  const mayMatter = () => states.mayHaveOtherKey(service.voiceFingerprint());
  return new Journal(store, service.clock, log.warn, settings, hint, mayMatter);
}
