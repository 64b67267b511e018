import { missingSettingsProblem } from "../../rules/missing-settings";
import { QuotaPlan } from "../../rules/plan";
import type { Settings } from "../../rules/settings";
import { audioInspector, type InspectAudio } from "../../service/audio/inspect";
import type { Clock } from "../../service/clock";
import { connect, type Service } from "../../service/connect";
import type { Http } from "../../service/http";
import { BilledRequests } from "../../service/billed-requests";
import { Journal, type JournalStore } from "../../service/journal";
import { openJournalStore } from "../../service/journal-store";
import { pictureStore } from "../../service/images/picture-store";
import { KeyedQueue } from "../../service/keyed-queue";
import { pulumiStates } from "../../stacks/pulumi-states";
import { type StateReader, States } from "../../stacks/states";
import { assertEngineAlive, engineAddress } from "../shared/engine-alive";
import { imageThrottle, type ImageThrottle } from "./image/throttle";
import { Log } from "./log";
import { VoiceEvidence } from "./voice/evidence";
import { Ownership } from "./voice/ownership";

/**
 * Everything that the resources of one operation of the engine share. One provider process serves one operation (an
 * update, a preview, a refresh or a destroy), so this is created once per process, when the engine configures the
 * provider.
 */
export interface Operation {
  settings: Settings;
  service: Service;
  log: Log;
  /** The voices that this update adds to the account, and to the stack. */
  quota: QuotaPlan;
  ownership: Ownership;
  evidence: VoiceEvidence;
  imageThrottle: ImageThrottle;
  inspectAudio: InspectAudio;
  openPictures: typeof pictureStore;
  /** The saved states of the project's stacks. */
  states: States;
  billed: BilledRequests;
  /** Notes about billed requests. */
  journal: Journal;
  /** When the operation began, in milliseconds since 1970. */
  startedAtMs: number;
  /** Creates of one voice name run in order. */
  createQueue: KeyedQueue;
  /** Rejects once the engine has exited: nobody would save what is paid for then. */
  assertEngineAlive: () => Promise<void>;
}

/** What a test passes in. */
export interface OperationParts {
  log?: Log;
  assertEngineAlive?: () => Promise<void>;
  http?: Http;
  clock?: Clock;
  inspectAudio?: InspectAudio;
  openPictures?: typeof pictureStore;
  states?: StateReader;
  journal?: JournalStore;
}

export function startOperation(settings: Settings, parts: OperationParts = {}): Operation {
  const { http, clock, log = new Log() } = parts;
  const service = connect(settings, { ...(http && { http }), ...(clock && { clock }), log: log.line });
  const engine = engineAddress(process.argv);
  const store = parts.journal ?? openJournalStore(settings.journal, { ...settings, programFolder: process.cwd() });
  const journal = new Journal(store, service.clock, log.warn);
  const problem = missingSettingsProblem(settings);
  if (problem !== undefined) log.warn(problem);
  const states = new States(parts.states ?? pulumiStates());
  const alive = parts.assertEngineAlive ?? (() => assertEngineAlive(engine));
  const startedAtMs = service.clock.now();
  return {
    settings,
    service,
    log,
    states,
    journal,
    startedAtMs,
    billed: new BilledRequests({
      assertEngineAlive: alive,
      notes: {
        journal,
        clock: service.clock,
        requestTimeoutMs: settings.requestTimeoutMs,
        hasSaved: (id) => states.hasSaved(id),
        logOnce: (topic, line) => log.once(topic, line),
      },
    }),
    quota: new QuotaPlan(),
    ownership: new Ownership(),
    evidence: new VoiceEvidence({ service, settings, journal, states, log, startedAtMs }),
    imageThrottle: imageThrottle(settings, service.clock),
    inspectAudio: parts.inspectAudio ?? audioInspector(),
    openPictures: parts.openPictures ?? pictureStore,
    createQueue: new KeyedQueue(),
    assertEngineAlive: alive,
  };
}
