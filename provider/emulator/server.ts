import { randomUUID } from "node:crypto";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { accessRule, isLocal, isLoopback } from "./control-access";
import { controlRoutes } from "./control-routes";
import { controlsOf } from "./controls";
import { decide } from "./decisions";
import { replyOf } from "./forms";
import { imageUrl, lookUpTask, submitTask, type RunningTask } from "./images";
import { invalid, type Outcome } from "./outcome";
import { sendReply } from "./send-reply";
import { page, pagePolicy } from "./page";
import { serveCall } from "./serve-call";
import { serveImage } from "./serve-image";
import type { EmulatorState } from "./state";
import { handleVoiceCall, voiceAction } from "./voices";

/** Enough for a recording of almost 10 MB in base64, and for the other fields of its request. */
const bodyLimit = 16 * 1024 * 1024;

/** The routes of the service (contract 4), of the images and of the emulator's controls. */
export function createApp(state: EmulatorState, host: string): Express {
  const { tasks } = state.accounts;
  const app = express()
    .disable("x-powered-by")
    // Parse a control call whatever media type it states, because scripts with curl or Python often state none.
    .use("/_emulator", express.json({ limit: bodyLimit, type: () => true }))
    .use(express.json({ limit: bodyLimit }));

  app.post("/api/v1/services/audio/tts/customization", (request, response) =>
    serveCall(state, voiceAction(request.body) ?? "unknown", request, response, (account) =>
      handleVoiceCall(request.body, {
        voices: state.accounts.voicesOf(account),
        names: state.voiceNames,
        rules: state.voiceRules,
        dialect: state.dialect,
        nowMs: state.now(),
      }),
    ),
  );
  app.post("/api/v1/services/aigc/text2image/image-synthesis", (request, response) =>
    serveCall(state, "submit", request, response, () =>
      submitTask(request.body, request.headers["x-svc-async"] === "enable", tasks, state.now(), state.dialect),
    ),
  );
  app.get("/api/v1/tasks/:taskId", (request, response) =>
    serveCall(state, "poll", request, response, () => {
      const urlOf = (task: RunningTask, index: number) =>
        imageUrl(state.dialect.task.addresses === "paths" ? "" : state.url, task, index, state.now());
      return lookUpTask(request.params.taskId, tasks, state.imageRules, state.now(), state.dialect, urlOf);
    }),
  );
  app.post("/compatible-mode/v1/systemone", (request, response) =>
    serveCall(state, "decide", request, response, () => decide(request.body, state.answers)),
  );
  app.get("/images/:taskId/:index.png", (request, response) => serveImage(state, request, response));
  const accountOf = (voice: string) => state.accounts.withVoice(voice);
  app.use("/_emulator", controlRoutes(controlsOf(state), accountOf, accessRule(host, state.accounts)));
  app.get("/", ({ headers }, response, next) => {
    if (isLoopback(host) && !isLocal(headers.host, host)) return next();
    response.setHeader("content-security-policy", pagePolicy).type("html").send(page);
  });

  const sendUnknown = (response: Response, outcome: Outcome) =>
    sendReply(response, replyOf(state.dialect, "unknown", randomUUID(), outcome));
  app.use(({ method, path }, response) => {
    const message = `The service has no operation ${method} ${path}. Check the method and the path.`;
    sendUnknown(response, { status: 404, code: "NotFound", message });
  });
  // Express uses a handler with four parameters for errors. An error with a status was caused by the client.
  app.use((error: { status?: number; message: string }, _: Request, response: Response, _next: NextFunction) => {
    const { status, message } = error;
    const isClientError = status !== undefined;
    sendUnknown(
      response,
      isClientError ? { ...invalid(message), status } : { status: 500, code: "InternalError", message },
    );
  });
  return app;
}
