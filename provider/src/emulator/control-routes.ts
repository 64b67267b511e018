import { type NextFunction, type Request, type Response, Router } from "express";
import { z } from "zod";
import type { Controls } from "./controls";
import { faultKinds, type FaultRule } from "./faults";
import { actions } from "./ledger";
import { invalid } from "./outcome";
import { quirkNames } from "./quirks";

const faultRule = z.strictObject({
  kind: z.enum(faultKinds),
  on: z.array(z.enum(actions)).optional(),
  times: z.number().int().min(1).optional(),
  skip: z.number().int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
  delayMs: z.number().min(0).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});
const faultsBody = z.strictObject({ rules: z.array(faultRule), seed: z.number().optional() });
const limitsBody = z.strictObject({ callsPerSecond: z.partialRecord(z.enum(actions), z.number().min(0)) });
const quirksBody = z.strictObject({ quirks: z.array(z.enum(quirkNames)) });
const advanceBody = z.strictObject({ seconds: z.number().min(0) });

/** The routes below `/_emulator`, which read and change the emulator's state. They need no API key. */
export function controlRoutes(controls: Controls, host: string): Router {
  const routes = Router();
  routes.use(rejectWebPages(host));
  routes.get("/state", (_, response) => {
    response.json({ voices: controls.voices(), summary: controls.summary() });
  });
  routes.get("/ledger", (_, response) => {
    response.json({ entries: controls.ledger(), summary: controls.summary() });
  });
  routes.post("/reset", (_, response) => {
    controls.reset();
    response.json({ reset: true });
  });
  routes.put("/faults", (request, response) => {
    const body = faultsBody.safeParse(request.body);
    if (!body.success) return void response.status(400).json(invalid(z.prettifyError(body.error)));
    // Zod types an optional field as `T | undefined`, which exactOptionalPropertyTypes tells apart from `T?`.
    controls.setFaults(body.data.rules as FaultRule[], body.data.seed);
    response.json({ rules: body.data.rules.length });
  });
  routes.put("/limits", (request, response) => {
    const body = limitsBody.safeParse(request.body);
    if (!body.success) return void response.status(400).json(invalid(z.prettifyError(body.error)));
    controls.setCallsPerSecond(body.data.callsPerSecond);
    response.json(body.data);
  });
  routes.put("/quirks", (request, response) => {
    const body = quirksBody.safeParse(request.body);
    if (!body.success) return void response.status(400).json(invalid(z.prettifyError(body.error)));
    controls.setQuirks(body.data.quirks);
    response.json(body.data);
  });
  routes.post("/advance", (request, response) => {
    const body = advanceBody.safeParse(request.body);
    if (!body.success) return void response.status(400).json(invalid(z.prettifyError(body.error)));
    controls.advance(body.data.seconds * 1000);
    response.json({ advanced: body.data.seconds });
  });
  return routes;
}

/**
 * Rejects every request that a web page in the user's browser could send. Such a request has an `Origin` or a
 * `Sec-Fetch-Site` header or, after DNS rebinding, the page's own host name.
 */
function rejectWebPages(host: string) {
  const hostNames = [host, "127.0.0.1", "localhost", "[::1]"];
  return ({ headers }: Request, response: Response, next: NextFunction) => {
    const hostName = (headers.host ?? "").replace(/:\d+$/, "");
    const isLocal = hostNames.includes(hostName);
    if (isLocal && headers.origin === undefined && headers["sec-fetch-site"] === undefined) return next();
    const message = "The control routes refused the request: it comes from a web page. Use curl or a test instead.";
    response.status(403).json({ code: "AccessDenied", message });
  };
}
