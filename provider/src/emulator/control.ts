import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Emulator } from "./emulator";
import { faultKinds } from "./faults";

const faultRule = z.strictObject({
  kind: z.enum(faultKinds),
  on: z.array(z.enum(["create", "list", "delete"])).optional(),
  times: z.number().int().min(1).optional(),
  skip: z.number().int().min(0).optional(),
  probability: z.number().min(0).max(1).optional(),
  delayMs: z.number().min(0).optional(),
  retryAfterSeconds: z.number().min(0).optional(),
});

/** `/_emulator/…`: what a test or a person does behind the service's back. No key is asked for, so no browser may get here. */
export function addControlRoutes(server: FastifyInstance, emulator: Emulator, host: string): void {
  server.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith("/_emulator/")) return;
    const named = (request.headers.host ?? "").replace(/:\d+$/, "");
    const ours = [host, "127.0.0.1", "localhost", "[::1]"].includes(named);
    if (!ours || request.headers.origin !== undefined || request.headers["sec-fetch-site"] !== undefined) {
      await reply.code(403).send({ code: "AccessDenied", message: "the control routes answer no web page" });
    }
  });

  server.get("/_emulator/state", () => ({ voices: emulator.voices(), summary: emulator.summary() }));
  server.get("/_emulator/ledger", () => ({ entries: emulator.ledger(), summary: emulator.summary() }));
  server.post("/_emulator/reset", () => {
    emulator.reset();
    return { reset: true };
  });
  server.put("/_emulator/faults", (request) => {
    const { rules, seed } = z.strictObject({ rules: z.array(faultRule), seed: z.number().optional() }).parse(request.body);
    emulator.setFaults(rules as Parameters<Emulator["setFaults"]>[0], seed);
    return { rules: rules.length };
  });
  server.post("/_emulator/advance", (request) => {
    const { seconds } = z.strictObject({ seconds: z.number().min(0) }).parse(request.body);
    emulator.advance(seconds * 1000);
    return { advanced: seconds };
  });
}
