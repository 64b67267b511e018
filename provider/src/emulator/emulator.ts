import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import express, { type NextFunction, type Request, type Response } from "express";
import { type AccountState, Accounts } from "./accounts";
import { controlRoutes } from "./control";
import { type FaultRule, Faults } from "./faults";
import { type Action, Ledger, type LedgerEntry, type LedgerSummary } from "./ledger";
import { decide } from "./decisions";
import { imageAddress, imageAt, type ImageRules, lookUpTask, paint, submitTask } from "./images";
import { invalid, type Outcome } from "./outcome";
import { answerVoiceCall, newVoice, voiceAction, type VoiceRules } from "./voices";

export interface EmulatorOptions extends Partial<VoiceRules>, Partial<ImageRules> {
  /** Default: any free one. */
  port?: number;
  /** Default: 127.0.0.1. The emulator is no server for a network: anything else is at your own risk. */
  host?: string;
  /** The account that the first key opens, and the keys it gives out. Default: one account named `default` with a random key. */
  accounts?: Record<string, string | string[]>;
  /** Remembers ledger and accounts here, between runs. */
  file?: string;
  /** How answers nest their fields: the service is seen to use both. Default: `nested`. */
  answers?: "nested" | "flat";
  faults?: FaultRule[];
  /** Seed of the faults' chance. */
  seed?: number;
  /** The time that voices and ledger are given. */
  now?: () => number;
  /** How long a create takes. Default 0. */
  createDelayMs?: number;
}

export interface Emulator {
  url: string;
  /** A key of the first account. */
  apiKey: string;
  ledger(): LedgerEntry[];
  /** What an account, or all, called and paid, from the given entry of the ledger on. */
  summary(account?: string, since?: number): LedgerSummary;
  /** The voices of an account, newest first. */
  voices(account?: string): AccountState["voices"];
  setFaults(rules: FaultRule[], seed?: number): void;
  /** Calls of this kind that are being worked on. */
  underWay(action: Action): number;
  /** How image tasks move from now on. */
  setImages(rules: Partial<ImageRules>): void;
  /** Gives out one more key of an account: a rotated one, or the first of a new account. */
  giveKey(account: string, key: string): void;
  revokeKey(key: string): void;
  /** Puts voices into an account without a call or a charge, as if made by hand. */
  seedVoices(
    account: string,
    count: number,
    options?: { preferredName?: string; targetModel?: string; ageMs?: number },
  ): string[];
  /** Takes a voice away behind everybody's back. */
  vanish(account: string, voice: string): void;
  /** Moves the emulator's time on. */
  advance(ms: number): void;
  /** Empties all accounts; keys stay. */
  reset(): void;
  close(): Promise<void>;
}

// One audio file under 10 MB, encoded, and what stands around it.
const bodyLimit = 16 * 1024 * 1024;

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const rules: VoiceRules = {
    voiceQuota: options.voiceQuota ?? 1000,
    largestPage: options.largestPage ?? 1_000_000,
    listTotals: options.listTotals ?? true,
    extraTargetModels: options.extraTargetModels ?? [],
    quotaStatus: options.quotaStatus ?? 429,
    degradeEvery: options.degradeEvery ?? 0,
  };
  const images: ImageRules = {
    finishAfterPolls: options.finishAfterPolls ?? 0,
    finishAfterMs: options.finishAfterMs ?? 0,
  };
  const busy = new Map<Action, number>();
  const ledger = new Ledger(options.file);
  const accounts = new Accounts(ledger);
  const faults = new Faults(options.faults, options.seed);
  let aheadMs = 0;
  const now = () => (options.now ?? Date.now)() + aheadMs;

  const given = Object.entries(options.accounts ?? { default: `emulator-${randomBytes(12).toString("hex")}` }).map(
    ([account, keys]) => [account, [keys].flat()] as const,
  );
  for (const [account, keys] of given) for (const key of keys) accounts.giveKey(account, key);
  const [firstAccount, [apiKey = ""]] = given[0] ?? ["default", []];

  function record(happened: Omit<LedgerEntry, "at">): void {
    const entry = { at: new Date(now()).toISOString(), ...happened };
    accounts.apply(entry);
    ledger.add(entry);
  }
  function control(account: string, effect: Pick<LedgerEntry, "voice" | "deleted">): void {
    record({ account, action: "control", status: 200, charge: 0, requestId: "-", ...effect });
  }

  const app = express()
    .disable("x-powered-by")
    .use(express.json({ limit: bodyLimit }));

  /** One call of the service: the key, a fault before the work, the work, a fault after it. */
  async function serve(
    request: Request,
    reply: Response,
    action: Action,
    work: (account: string) => Promise<Outcome> | Outcome,
  ) {
    const requestId = randomUUID();
    const account = accounts.ofKey(/^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "");
    if (account === undefined) {
      record({ account: "(none)", action, status: 401, charge: 0, requestId, code: "InvalidApiKey" });
      return answer(reply, action, requestId, {
        status: 401,
        code: "InvalidApiKey",
        message: "Invalid API-key provided.",
      });
    }
    const fault = faults.next(action);
    const played = fault && { fault: fault.kind };
    const fail = (status: number, code: string) => {
      record({ account, action, status, charge: 0, requestId, code, ...played });
      return { status, code };
    };
    switch (fault?.kind) {
      case "429":
      case "429-retry-after":
        if (fault.kind === "429-retry-after") reply.setHeader("retry-after", String(fault.retryAfterSeconds ?? 1));
        return answer(reply, action, requestId, {
          ...fail(429, "Throttling.RateQuota"),
          message: "Requests rate limit exceeded.",
        });
      case "500":
        return answer(reply, action, requestId, {
          ...fail(500, "InternalError"),
          message: "An internal error has occured.",
        });
      case "html-502":
        fail(502, "html");
        return reply.status(502).type("text/html").send("<html><body><h1>502 Bad Gateway</h1></body></html>");
      case "reset-before":
        fail(0, "reset");
        return request.socket.destroy();
      case "slow":
        await pause(fault.delayMs ?? 1000);
    }
    busy.set(action, (busy.get(action) ?? 0) + 1);
    if (action === "create" && options.createDelayMs) await pause(options.createDelayMs);
    const outcome = await Promise.resolve(work(account)).finally(() => busy.set(action, (busy.get(action) ?? 1) - 1));
    const { status, code, charge = 0, effect } = outcome;
    record({ account, action, status, charge, requestId, ...(code && { code }), ...played, ...effect });
    if (fault?.kind === "reset-after") return request.socket.destroy();
    if (fault?.kind === "500-after")
      return answer(reply, action, requestId, {
        status: 500,
        code: "InternalError",
        message: "An internal error has occured.",
      });
    if (fault?.kind === "cut-json") {
      const whole = JSON.stringify(formed(action, requestId, outcome));
      return reply
        .status(status)
        .type("application/json")
        .send(whole.slice(0, whole.length / 2));
    }
    return answer(reply, action, requestId, outcome);
  }

  function formed(action: Action, requestId: string, { status, code, message, output, usage }: Outcome): object {
    // Contract 4.7 spells this one answer out; its errors are seen in both forms.
    const compatible = action === "decide";
    if (status !== 200 && compatible && options.answers !== "flat")
      return { error: { message, type: "invalid_request_error", param: null, code }, request_id: requestId };
    if (status !== 200) return { code, message, request_id: requestId };
    if (compatible) return { ...output, usage, request_id: requestId };
    if (options.answers === "flat") {
      // The other form names its list otherwise, too.
      const { voice_list: voices, ...fields } = output ?? {};
      return { ...fields, ...(voices !== undefined && { voices }), ...usage, request_id: requestId };
    }
    return { output, ...(usage && { usage }), request_id: requestId };
  }
  const answer = (reply: Response, action: Action, requestId: string, outcome: Outcome) =>
    reply
      .status(outcome.status)
      .setHeader("x-request-id", requestId)
      .json(formed(action, requestId, outcome));

  app.post("/api/v1/services/audio/tts/customization", async (request, reply) => {
    const action = voiceAction(request.body) ?? "unknown";
    await serve(request, reply, action, (account) =>
      answerVoiceCall(request.body, accounts.voicesOf(account), rules, now()),
    );
  });

  const emulator: Emulator = {
    url: "",
    apiKey,
    ledger: () => ledger.entries,
    summary: (account, since) => ledger.summary(account, since),
    voices: (account = firstAccount) => accounts.state(account).voices,
    setFaults: (to, seed) => faults.set(to, seed),
    underWay: (action) => busy.get(action) ?? 0,
    setImages: (to) => void Object.assign(images, to),
    giveKey: (account, key) => accounts.giveKey(account, key),
    revokeKey: (key) => accounts.revokeKey(key),
    seedVoices(account, count, { preferredName = "by_hand", targetModel = "svc3-tts-vc-2026-01-22", ageMs = 0 } = {}) {
      const made = Array.from({ length: count }, () => newVoice(preferredName, targetModel, now() - ageMs));
      for (const voice of made) control(account, { voice });
      return made.map((row) => row.voice);
    },
    vanish: (account, voice) => control(account, { deleted: voice }),
    advance: (ms) => void (aheadMs += ms),
    reset() {
      ledger.clear();
      accounts.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  app.post("/api/v1/services/aigc/text2image/image-synthesis", async (request, reply) => {
    await serve(request, reply, "submit", () =>
      submitTask(request.body, request.headers["x-svc-async"] === "enable", accounts.tasks, now()),
    );
  });
  app.get("/api/v1/tasks/:taskId", async (request, reply) => {
    const address: Parameters<typeof lookUpTask>[4] = (task, index) => imageAddress(emulator.url, task, index, now());
    await serve(request, reply, "poll", () =>
      lookUpTask(request.params.taskId, accounts.tasks, images, now(), address),
    );
  });
  app.get("/images/:taskId/:index.png", async (request, reply) => {
    const index = Number(request.params.index);
    const fault = faults.next("download");
    const task = imageAt(request.params.taskId, index, request.query, accounts.tasks, now());
    const status = task ? 200 : 403;
    record({
      account: "(none)",
      action: "download",
      status,
      charge: 0,
      requestId: "-",
      ...(fault && { fault: fault.kind }),
    });
    if (fault?.kind === "500" || fault?.kind === "429") return void reply.status(Number(fault.kind)).end();
    if (!task)
      return void reply
        .status(403)
        .type("application/xml")
        .send("<Error><Code>AccessDenied</Code><Message>Request has expired.</Message></Error>");
    const picture = await paint(task, index);
    reply.status(200).type("image/png").setHeader("content-length", picture.length);
    const half = picture.length >> 1;
    reply.write(picture.subarray(0, half));
    if (fault?.kind === "slow") await pause(fault.delayMs ?? 1000);
    if (fault?.kind === "reset-after" || fault?.kind === "cut-json") return void request.socket.destroy();
    reply.end(picture.subarray(half));
  });
  app.post("/compatible-mode/v1/systemone", async (request, reply) => {
    await serve(request, reply, "decide", () => decide(request.body));
  });

  const host = options.host ?? "127.0.0.1";
  app.use("/_emulator", controlRoutes(emulator, host));
  app.use((request, reply) => {
    answer(reply, "unknown", randomUUID(), {
      status: 404,
      code: "NotFound",
      message: `no such path: ${request.method} ${request.path}`,
    });
  });
  app.use((error: { status?: number; message: string }, _request: Request, reply: Response, _next: NextFunction) => {
    answer(
      reply,
      "unknown",
      randomUUID(),
      error.status === undefined
        ? { status: 500, code: "InternalError", message: error.message }
        : { ...invalid(error.message), status: error.status },
    );
  });

  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, host, resolve);
  });
  emulator.url = `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`;
  return emulator;
}

/** Does not keep a process alive whose emulator was closed meanwhile. */
const pause = (ms: number) => delay(ms, undefined, { ref: false });
