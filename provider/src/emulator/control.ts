import { Router } from "express";
import { z } from "zod";
import type { Emulator } from "./emulator";
import { faultKinds, type FaultRule } from "./faults";
import { actions } from "./ledger";
import { invalid } from "./outcome";

const faultRule = z.strictObject({
  kind: z.enum(faultKinds),
  on: z.array(z.enum(actions)).optional(),
  times: z.number().int().min(1).optional(),
  skip: z.number().int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
  delayMs: z.number().min(0).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});

/** `/_emulator/…`: what a test or a person does behind the service's back. No key is asked for, so no browser may get here. */
export function controlRoutes(emulator: Emulator, host: string): Router {
  const routes = Router();
  routes.use((request, reply, next) => {
    const named = (request.headers.host ?? "").replace(/:\d+$/, "");
    const ours = [host, "127.0.0.1", "localhost", "[::1]"].includes(named);
    if (ours && request.headers.origin === undefined && request.headers["sec-fetch-site"] === undefined) next();
    else reply.status(403).json({ code: "AccessDenied", message: "the control routes answer no web page" });
  });

  routes.get("/state", (_, reply) => void reply.json({ voices: emulator.voices(), summary: emulator.summary() }));
  routes.get("/ledger", (_, reply) => void reply.json({ entries: emulator.ledger(), summary: emulator.summary() }));
  routes.post("/reset", (_, reply) => {
    emulator.reset();
    reply.json({ reset: true });
  });
  routes.put("/faults", (request, reply) => {
    const body = z.strictObject({ rules: z.array(faultRule), seed: z.number().optional() }).safeParse(request.body);
    if (!body.success) return void reply.status(400).json(invalid(z.prettifyError(body.error)));
    emulator.setFaults(body.data.rules as FaultRule[], body.data.seed);
    reply.json({ rules: body.data.rules.length });
  });
  routes.post("/advance", (request, reply) => {
    const body = z.strictObject({ seconds: z.number().min(0) }).safeParse(request.body);
    if (!body.success) return void reply.status(400).json(invalid(z.prettifyError(body.error)));
    emulator.advance(body.data.seconds * 1000);
    reply.json({ advanced: body.data.seconds });
  });
  return routes;
}
