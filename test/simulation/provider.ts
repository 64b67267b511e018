import { dynamicProvider } from "../../provider/src/dynamic/dynamic-provider";
import type { AnyLifecycle } from "../../provider/src/lifecycle/lifecycle";
import { lifecyclesOf } from "../../provider/src/lifecycle/layers";
import { Log } from "../../provider/src/lifecycle/log";
import { type Operation, type OperationParts, startOperation } from "../../provider/src/lifecycle/operation";
import type { AudioFacts } from "../../provider/src/rules/audio";
import { readSettings, type Settings } from "../../provider/src/rules/settings";
import type { Http } from "../../provider/src/service/http";
import type { Pictures } from "./pictures";
import type { Disk, Processes } from "./process";

/** What an operation has around it. */
export interface Surroundings {
  processes: Processes;
  http: Http;
  disk: Disk;
  pictures: Pictures;
  log: (line: string) => void;
  quota: number;
  /** Default: {@link apiKey}. */
  apiKey?: string;
  /** The setting `forms`, which the service may need. */
  forms?: object | undefined;
  /** The kinds of questions to which the person says yes. */
  accepts: readonly string[];
  /** The bytes behind a path, by their hash. */
  hashOfFile: (path: string) => string | undefined;
}

/** A mistake that a test makes in the code from outside, to prove that the simulation finds it. */
export interface Mistake {
  settings?: Record<string, string>;
  parts?: (parts: OperationParts) => OperationParts;
  operation?: (operation: Operation) => void;
  voice?: (lifecycle: AnyLifecycle) => AnyLifecycle;
  image?: (lifecycle: AnyLifecycle) => AnyLifecycle;
  decision?: (lifecycle: AnyLifecycle) => AnyLifecycle;
}

/** The package's own life cycles, as one provider process runs them. */
export function startProviders(around: Surroundings, mistake: Mistake = {}) {
  const { processes, disk, hashOfFile } = around;
  const parts: OperationParts = {
    log: new Log(around.log),
    assertEngineAlive: processes.assertEngineAlive,
    http: around.http,
    clock: processes.clock,
    inspectAudio: (path) => Promise.resolve(audioFacts(hashOfFile(path))),
    journal: disk.journal(processes),
    openPictures: (saveTo) => around.pictures.open(saveTo, processes),
    accepted: idsOf(around.accepts),
  };
  const operation = startOperation(settingsOf(around, mistake), mistake.parts?.(parts) ?? parts);
  injectWhatHasNoPart(operation);
  mistake.operation?.(operation);
  const { voice, image, decision } = lifecyclesOf(operation, [
    (lifecycle, kind) => mistake[kind]?.(lifecycle) ?? lifecycle,
  ]);
  return { voice: started(voice), image: started(image), decision: started(decision) };
}

/** The ids of all questions of these kinds, and these ids. */
export function idsOf(accepts: readonly string[]): ReadonlySet<string> {
  const has = (id: string) => accepts.some((each) => id === each || id.startsWith(`${each}-`));
  return Object.assign(new Set(accepts), { has });
}

/** No output, state, note or name of a file may have it. Every later key begins with it. */
export const apiKey = "simulated-key-50b3d1";

/** Read once: the checks take a noticeable part of a short run. */
export const settingsOf = (() => {
  const read = new Map<string, Settings>();
  return (
    { quota, forms, apiKey: key = apiKey }: Pick<Surroundings, "quota" | "forms" | "apiKey">,
    mistake: Mistake,
  ): Settings => {
    const found = {
      baseUrl: "https://service.example",
      apiKey: key,
      voiceQuota: String(quota),
      ...(forms !== undefined && { forms: JSON.stringify(forms) }),
      ...mistake.settings,
    } as Record<string, string>;
    const name = JSON.stringify(found);
    const settings =
      read.get(name) ??
      readSettings((name) => (found[name] === undefined ? undefined : { value: found[name], source: name }));
    read.set(name, settings);
    return settings;
  };
})();

/** As the engine's host of dynamic providers calls it. */
export function started(lifecycle: AnyLifecycle) {
  const provider = dynamicProvider(() => lifecycle);
  void provider.configure?.({ config: { get: () => undefined, require: () => "" } });
  return provider as Required<typeof provider>;
}

/** Replaces what uses real files. */
function injectWhatHasNoPart({ service }: Operation): void {
  // Files are not read: their hash stands for their bytes.
  const create = service.voices.create.bind(service.voices);
  service.voices.create = (voice, sending) =>
    create(
      "url" in voice.audio ? voice : { ...voice, audio: { url: `https://files.example/${voice.audio.sha256}` } },
      sending,
    );
}

function audioFacts(sha256: string | undefined): AudioFacts {
  if (sha256 === undefined) return { state: "missing" };
  return { state: "audio", kind: "wav", bytes: 500_000, sha256, seconds: 15 };
}
