import { readSettings } from "../../provider/src/rules/settings";
import { BilledRequests, type Sending } from "../../provider/src/service/billed-requests";
import { connect, type ConnectionParts, type Service } from "../../provider/src/service/connect";
import type { Clock } from "../../provider/src/service/clock";
import type { Emulator } from "../../provider/emulator";

/** A clock that stands still but for the sleeps, which it keeps and which take no time. */
export function fakeClock(start = Date.now()): Clock & { slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => start + slept.reduce((sum, ms) => sum + ms, 0),
    sleep: (ms) => {
      slept.push(ms);
      return Promise.resolve();
    },
    random: () => 0.5,
  };
}

/** What a client needs to send a request that is billed. Nothing is noted. */
export function sendingWhile(assertMaySend: () => Promise<void>): Sending {
  const given: Sending[] = [];
  const keep = (sending: Sending) => Promise.resolve(given.push(sending));
  void new BilledRequests({ assertMaySend }).send(undefined, undefined, keep, () => ({}));
  return given[0]!;
}

/** The same for tests of the clients alone: the engine is always there. */
export const sending = sendingWhile(() => Promise.resolve());

/** The settings, where a test gives these. */
export const settingsOf = (given: Record<string, string | undefined>, sources: Record<string, string> = {}) =>
  readSettings((name) => (given[name] ? { value: given[name], source: sources[name] ?? name } : undefined));

const services: Service[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

/** The service as its users connect to it, on the emulator, with time passed in. */
export function connected(
  emulator: Pick<Emulator, "url" | "apiKey">,
  settings: Record<string, string> = {},
  clock: Clock = fakeClock(),
  more: ConnectionParts = {},
): Service {
  const service = connect(settingsOf({ baseUrl: emulator.url, apiKey: emulator.apiKey, ...settings }), {
    clock,
    ...more,
  });
  services.push(service);
  return service;
}
