import fc from "fast-check";
import { readSettings } from "../../provider/src/rules/settings";
import { connect } from "../../provider/src/service/connect";
import type { HttpResponse } from "../../provider/src/service/http";
import { fakeClock } from "./service";

/**
 * The contract leaves open how responses are nested, what their containers are called, and how errors look. Each test
 * draws legal forms from a seed, and expects the same result from all of them.
 */

/** `RANDOM_INPUTS=10000` draws more forms. */
const numRuns = Number(process.env.RANDOM_INPUTS ?? 60);
export const apiKey = "canary-key-0123456789";

/** The service, which gets one response to every call. */
export function respondingWith(
  json: unknown,
  { status = 200, headers = {} }: Partial<HttpResponse> = {},
  more: Record<string, string> = {},
) {
  const all: Record<string, string> = {
    baseUrl: "https://service.example",
    apiKey,
    maxRetries: "0",
    maxThrottleSeconds: "0",
    ...more,
  };
  let body = typeof json === "string" ? json : JSON.stringify(json);
  const sent: { method: string; headers: Record<string, string> }[] = [];
  const settings = readSettings((name) => (all[name] ? { value: all[name], source: name } : undefined));
  const http = {
    send: (request: (typeof sent)[number]) => {
      sent.push(request);
      return Promise.resolve({ status, headers: { "content-type": "application/json", ...headers }, body });
    },
    open: () => Promise.reject(new Error("no downloads here")),
    close: () => Promise.resolve(),
  };
  /** Changes the response to later calls. */
  const respond = (next: unknown) => (body = JSON.stringify(next));
  return { sent, respond, ...connect(settings, { http, clock: fakeClock() }) };
}

// The names of real envelopes, and names that nobody thought of.
const fieldName = fc.oneof(
  fc.constantFrom("output", "data", "result", "payload", "body", "response", "Data"),
  fc.stringMatching(/^[a-z]{3,8}$/).map((name) => `x_${name}`),
);
/** Fields that a response may carry besides. */
const extras = fc.dictionary(
  fc.stringMatching(/^[a-z]{4,8}$/).map((name) => `extra_${name}`),
  fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("a", "b"), fc.constant(null)),
  { maxKeys: 3 },
);

/** The keys of an object in another order. */
function shuffled<T extends object>(object: T, seed: number): T {
  const entries = Object.entries(object);
  return Object.fromEntries(
    entries
      .map((entry, index) => [(index * 7919 + seed) % 104_729, entry] as const)
      .sort(([a], [b]) => a - b)
      .map(([, entry]) => entry),
  ) as T;
}

/** Puts fields into an envelope, or two, or none; and the fields of every response beside or inside. */
export const nested = (fields: fc.Arbitrary<object>, common: object) =>
  fc
    .record({
      fields,
      extra: extras,
      envelopes: fc.array(fieldName, { maxLength: 2 }),
      inside: fc.boolean(),
      seed: fc.nat(1000),
    })
    .map(({ fields: own, extra, envelopes, inside, seed }) => {
      const core: object = shuffled({ ...extra, ...own, ...(inside && common) }, seed);
      const wrapped = envelopes.reduce<object>((inner, name) => ({ [name]: inner }), core);
      return shuffled({ ...wrapped, ...(!inside && common) }, seed);
    });

export const check = <T>(form: fc.Arbitrary<T>, property: (form: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(form, property), { numRuns, seed: 26 });
