import type { FindSetting } from "../../rules/find-setting";
import { QuotaPlan } from "../../rules/quota";
import { readSettings, type Settings } from "../../rules/settings";
import { audioInspector, type InspectAudio } from "../../service/audio/inspect";
import type { Clock } from "../../service/clock";
import { connect, type Service } from "../../service/connect";
import type { Http } from "../../service/http";
import { KeyedQueue } from "../../service/keyed-queue";
import { wasUntargeted } from "../shared/untargeted";
import { assertEngineAlive, engineAddress } from "./host";
import { imageThrottle, type ImageThrottle } from "./image/throttle";
import { ImageTasks } from "./image/tasks";
import { Log } from "./log";
import { SecretInputs } from "./secret-inputs";
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
  quota: QuotaPlan;
  ownership: Ownership;
  secrets: SecretInputs;
  imageThrottle: ImageThrottle;
  imageTasks: ImageTasks;
  inspectAudio: InspectAudio;
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
}

export function startOperation(find: FindSetting, parts: OperationParts = {}): Operation {
  const settings = readSettings(find);
  const log = parts.log ?? new Log();
  const { http, clock } = parts;
  const service = connect(settings, { ...(http && { http }), ...(clock && { clock }), log: log.line });
  const engine = engineAddress(process.argv);
  return {
    settings,
    service,
    log,
    quota: new QuotaPlan(),
    secrets: new SecretInputs(),
    ownership: new Ownership((voice) => wasUntargeted(engine, voice)),
    imageThrottle: imageThrottle(settings),
    imageTasks: new ImageTasks(service),
    inspectAudio: parts.inspectAudio ?? audioInspector(),
    createQueue: new KeyedQueue(),
    assertEngineAlive: parts.assertEngineAlive ?? (() => assertEngineAlive(engine)),
  };
}
