import { QuotaPlan } from "../../rules/quota";
import type { Settings } from "../../rules/settings";
import { audioInspector, type InspectAudio } from "../../service/audio/inspect";
import type { Clock } from "../../service/clock";
import { connect, type Service } from "../../service/connect";
import type { Http } from "../../service/http";
import { Journal, type JournalStore } from "../../service/journal";
import { openJournalStore } from "../../service/journal-store";
import { KeyedQueue } from "../../service/keyed-queue";
import { assertEngineAlive, engineAddress } from "./host";
import { imageThrottle, type ImageThrottle } from "./image/throttle";
import { Log } from "./log";
import { SecretInputs } from "./secret-inputs";
import { pulumiStates } from "./pulumi-states";
import { type StateReader, States } from "./states";
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
  quota: { account: QuotaPlan; stack: QuotaPlan };
  ownership: Ownership;
  secrets: SecretInputs;
  imageThrottle: ImageThrottle;
  inspectAudio: InspectAudio;
  /** The saved states of the project's stacks. */
  states: States;
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
  states?: StateReader;
  journal?: JournalStore;
}

export function startOperation(settings: Settings, parts: OperationParts = {}): Operation {
  const log = parts.log ?? new Log();
  const { http, clock } = parts;
  const service = connect(settings, { ...(http && { http }), ...(clock && { clock }), log: log.line });
  const engine = engineAddress(process.argv);
  const store = parts.journal ?? openJournalStore(settings.journal, { ...settings, programFolder: process.cwd() });
  const journal = new Journal(store, service.clock, log.warn);
  const states = new States(parts.states ?? pulumiStates());
  return {
    settings,
    service,
    log,
    states,
    journal,
    startedAtMs: service.clock.now(),
    quota: { account: new QuotaPlan(), stack: new QuotaPlan() },
    secrets: new SecretInputs(),
    ownership: new Ownership(),
    imageThrottle: imageThrottle(settings, service.clock),

    inspectAudio: parts.inspectAudio ?? audioInspector(),
    createQueue: new KeyedQueue(),
    assertEngineAlive: parts.assertEngineAlive ?? (() => assertEngineAlive(engine)),
  };
}
