import { QuotaPlan } from "../decide/quota";
import { findSetting, readSettings, type SettingName, type Settings } from "../decide/settings";
import { connect, type Service } from "../service/connect";
import { CloudVoiceError } from "../errors";
import { lazily } from "../lazily";
import type { Configure } from "./dynamic-provider";

/** What the resources of one provider process share: settings, connections, and one view of the account. */
export interface ProviderProcess {
  settings: Settings;
  service: Service;
  quota: QuotaPlan;
}

let current: ProviderProcess | undefined;

/** Called once for each kind of resource, every time with the same configuration. */
export const configure: Configure = (config) => {
  current ??= start((name) => findSetting(name, process.env, config));
};

export function providerProcess(): ProviderProcess {
  if (!current) throw new Error("the provider was called before it was configured");
  return current;
}

function start(find: (name: SettingName) => ReturnType<typeof findSetting>): ProviderProcess {
  const settings = readSettings(find);
  return { settings, service: connect(settings), quota: new QuotaPlan() };
}

/** Keeps submissions to the account's rate, and tasks in flight to their number. */
export interface ImageLane {
  /** Runs the work when a place is free; the work calls `mayStart` before it submits. */
  submitted<T>(work: (mayStart: () => Promise<void>) => Promise<T>): Promise<T>;
}

/** One for the process: its limits hold for all resources together. */
export const imageLane = lazily(async (): Promise<ImageLane> => {
  const { default: PQueue } = await import("p-queue");
  const { imageSubmitsPerSecond, maxRunningImages } = providerProcess().settings;
  const places = new PQueue({ concurrency: maxRunningImages ?? Infinity });
  const starts = new PQueue({ interval: 1000 / imageSubmitsPerSecond, intervalCap: 1 });
  return { submitted: (work) => places.add(() => work(() => starts.add(() => undefined))) };
});

/**
 * A command line that is killed leaves this process running, with creates that wait for a retry or a place. Paying for one then would
 * be paying twice, because the next run can't see it coming. The engine's address, the first argument of a provider, tells.
 */
export async function engineIsThere(): Promise<void> {
  const [, host, port] = /^(127\.0\.0\.1|localhost):(\d+)$/.exec(process.argv[2] ?? "") ?? [];
  if (host === undefined) return;
  const { connect } = await import("node:net");
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host, port: Number(port) });
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", () => reject(new CloudVoiceError("the engine is gone: nothing more is paid for")));
  });
}

const told = new Set<string>();

/** The same for a matter that is said once, however it is worded. */
export function tellFirst(matter: string, line: string): void {
  if (told.has(matter)) return;
  told.add(matter);
  tell(line);
}

/**
 * One line in the pipeline's log, under the stack: the engine offers a dynamic provider no other place. The engine may ask twice
 * about one resource in one operation; the line stands there once.
 */
export function tell(line: string): void {
  if (told.has(line)) return;
  told.add(line);
  console.log(`cloudvoice: ${line}`);
}
