import { type RequestHandler, Router } from "express";
import * as z from "zod";
import type { Controls } from "./controls";
import { decisionAnswers } from "./decisions";
import { faultKinds, type FaultRule } from "./faults";
import { actions } from "./ledger";
import { invalid } from "./outcome";

/** The longest delay that a timer accepts. A timer with a longer delay would end immediately. */
const longestDelayMs = 2 ** 31 - 1;
const faultRule = z.strictObject({
  kind: z.enum(faultKinds),
  on: z.array(z.enum(actions)).optional(),
  times: z.number().int().min(1).optional(),
  skip: z.number().int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
  afterWork: z.boolean().optional(),
  delayMs: z.number().min(0).max(longestDelayMs).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});
const faultsBody = z.strictObject({ rules: z.array(faultRule), seed: z.number().optional() });
const limitsBody = z.strictObject({ callsPerSecond: z.partialRecord(z.enum(actions), z.number().min(0)) });
const answersBody = z.strictObject({ answers: decisionAnswers });
const advanceBody = z.strictObject({ seconds: z.number().min(0) });

/** The control routes (below `/_emulator`), which read and change the emulator's state. */
export function controlRoutes(
  controls: Controls,
  accountOf: (voice: string) => string | undefined,
  access: RequestHandler,
): Router {
  const routes = Router();
  const change = <T>(method: "put" | "post", path: string, schema: z.ZodType<T>, apply: (body: T) => object) =>
    routes[method](path, (request, response) => {
      const body = schema.safeParse(request.body);
      if (!body.success) return void response.status(400).json(invalid(z.prettifyError(body.error)));
      try {
        response.json(apply(body.data));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        response.status(400).json(invalid(error.message));
      }
    });
  routes.use(access);
  routes.get("/state", (_, response) => {
    response.json({ now: controls.time().toISOString(), voices: controls.voices(), summary: controls.summary() });
  });
  routes.get("/ledger", (_, response) => {
    response.json({ entries: controls.ledger(), summary: controls.summary() });
  });
  routes.post("/reset", (_, response) => {
    controls.reset();
    response.json({ reset: true });
  });
  // Deletes a voice without a call of the service, as a person does in the service's console.
  routes.delete("/voices/:voice", (request, response) => {
    const { voice } = request.params;
    const account = accountOf(voice);
    if (account === undefined) {
      const message = `No account has the voice ${voice}.`;
      return void response.status(404).json({ code: "BadRequest.VoiceNotFound", message });
    }
    controls.vanish(account, voice);
    response.json({ deleted: voice });
  });
  change("put", "/faults", faultsBody, ({ rules, seed }) => {
    // In zod's type, an optional field may be undefined, which `FaultRule` forbids (exactOptionalPropertyTypes).
    controls.setFaults(rules as FaultRule[], seed);
    return { rules: rules.length };
  });
  change("put", "/limits", limitsBody, (limits) => {
    controls.setCallsPerSecond(limits.callsPerSecond);
    return limits;
  });
  change("put", "/answers", answersBody, ({ answers }) => {
    controls.setAnswers(answers);
    return { answers };
  });
  change("post", "/advance", advanceBody, ({ seconds }) => {
    controls.advance(seconds * 1000);
    return { advanced: seconds, now: controls.time().toISOString() };
  });
  return routes;
}
