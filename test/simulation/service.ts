import { LostAnswerError, UnreachableError } from "../../provider/src/errors";
import type { Http, HttpRequest, HttpResponse } from "../../provider/src/service/http";
import { Images } from "./service-images";
import type { Processes } from "./process";
import type { Random, World } from "./world";

/** How the service behaves in a run. Written from the service's contract, and independent of the emulator. */
export interface ServiceOptions {
  /** Up to how long the list does not show a new voice. */
  listLagMs: number;
  /** Up to how long the list still shows a deleted voice. */
  deletedLagMs: number;
  /** Up to how long a create takes. */
  workMs: number;
  /** The most rows that a page holds. */
  pageRows: number;
  /** Whether a list response has a total. */
  total: boolean;
  /** Whether the fields of responses are nested in `output`. */
  nested: boolean;
  quota: number;
  /** The share of the requests that fail in some way, in operations with faults. */
  faults: number;
}

export interface SimulatedVoice {
  voice: string;
  preferredName: string;
  targetModel: string;
  audio: string;
  createdMs: number;
  listedFromMs: number;
  /** Undefined while it exists. */
  deletedMs?: number;
  listedUntilMs?: number;
  /** The create that was billed; undefined for voices of strangers. */
  key?: string | undefined;
}

export interface ServiceHooks {
  /** A create was billed. Returns the intent that it belongs to. */
  billedVoice(processes: Processes, preferredName: string, voice: string): string | undefined;
  deletedVoice(processes: Processes, voice: SimulatedVoice): void;
  billedTask(processes: Processes, prompt: string): string;
  /** The id of a billed task did not reach the provider. */
  lostTask(intent: string): void;
}

type Fault =
  | "unreachable"
  | "lost-before"
  | "lost-early"
  | "lost-after"
  | "429"
  | "500-before"
  | "500-after"
  | "502-after"
  | "refused-200";
const faultKinds: readonly Fault[] = [
  "unreachable",
  "lost-before",
  "lost-early",
  "lost-after",
  "lost-after",
  "429",
  "500-before",
  "500-after",
  "502-after",
  "refused-200",
];
const requestTimeoutMs = 60_000;
/** The connection of a create that takes longer than this breaks only by the client's own timeout. */
const longestWorkOfBrokenConnectionMs = 20_000;

export class Service {
  readonly voices = new Map<string, SimulatedVoice>();
  readonly images: Images;
  private requests = 0;

  constructor(
    private readonly world: World,
    readonly options: ServiceOptions,
    readonly hooks: ServiceHooks,
  ) {
    this.images = new Images(world, hooks);
  }

  exists(voice: string): boolean {
    const found = this.voices.get(voice);
    return found !== undefined && found.deletedMs === undefined;
  }

  existing(): SimulatedVoice[] {
    return [...this.voices.values()].filter(({ deletedMs }) => deletedMs === undefined);
  }

  /** A voice that somebody else created some time ago. */
  addStranger(preferredName: string, targetModel: string, ageMs: number): SimulatedVoice {
    return this.add(preferredName, targetModel, "https://audio.example/strange", this.world.now - ageMs, 0);
  }

  /** Somebody deletes the voice, with whatever tool. */
  deleteOutside(voice: SimulatedVoice, lagMs: number): void {
    voice.deletedMs = this.world.now;
    voice.listedUntilMs = this.world.now + lagMs;
  }

  /** The network and the service, as one provider process reaches them. */
  http(processes: Processes, hasFaults: boolean): Http {
    const random = processes.random;
    const faults = hasFaults ? this.options.faults : 0;
    return {
      send: (request) =>
        new Promise<HttpResponse>((resolve, reject) => {
          const fault = random.chance(faults) ? random.pick(faultKinds) : undefined;
          const answerWith = (ms: number, response: HttpResponse) => processes.inProvider(ms, () => resolve(response));
          const failWith = (ms: number, error: Error) => processes.inProvider(ms, () => reject(error));
          const tripMs = random.between(5, 60);
          if (fault === "unreachable")
            return failWith(tripMs, new UnreachableError("the service could not be reached"));
          if (fault === "lost-before") return failWith(tripMs, lost());
          const text = request.body?.();
          // The request is on its way: it arrives even if the process that sent it has ended.
          this.world.after(tripMs, () => {
            const refusal = refusalOf(fault);
            if (refusal) return answerWith(tripMs, refusal);
            const body = typeof text === "string" ? (JSON.parse(text) as Record<string, unknown>) : {};
            const isCreate = (body.input as { action?: unknown } | undefined)?.action === "create";
            const workMs = isCreate ? this.workMs(random, fault) : random.between(5, 40);
            if (fault === "lost-early") failWith(random.between(1, 300), lost());
            this.world.after(workMs, () => {
              const response = this.handle(request, body, processes, random);
              const intent = this.images.takeBilled();
              const isLost = () => intent !== undefined && this.hooks.lostTask(intent);
              const timesOut = workMs + 2 * tripMs > requestTimeoutMs;
              if (!timesOut && (fault === undefined || fault === "429"))
                return processes.inProvider(tripMs, () => resolve(response), isLost);
              isLost();
              if (timesOut || fault === "lost-early") return;
              if (fault === "lost-after") failWith(tripMs, lost());
              else answerWith(tripMs, fault === "502-after" ? html502 : errorResponse(500, "InternalError", "failed"));
            });
            if (workMs + 2 * tripMs > requestTimeoutMs && fault !== "lost-early")
              failWith(requestTimeoutMs - tripMs, new LostAnswerError("the response was lost: timeout"));
          });
        }),
      open: (request) =>
        new Promise((resolve, reject) => {
          processes.inProvider(random.between(5, 60), () => {
            if (random.chance(faults)) reject(lost());
            else resolve(this.images.download(request.url));
          });
        }),
      close: () => Promise.resolve(),
    };
  }

  private workMs(random: Random, fault: Fault | undefined): number {
    const longest = fault === undefined ? this.options.workMs : longestWorkOfBrokenConnectionMs;
    return random.between(50, Math.min(longest, this.options.workMs));
  }

  private handle(
    { url, method, headers }: HttpRequest,
    body: Record<string, unknown>,
    processes: Processes,
    random: Random,
  ): HttpResponse {
    if (!headers.authorization?.startsWith("Bearer ")) return errorResponse(401, "InvalidApiKey", "no key");
    const { pathname } = new URL(url);
    if (pathname === "/api/v1/services/audio/tts/customization")
      return this.voiceCall(body.input as VoiceCall, processes, random);
    const fields = method === "GET" ? this.images.poll(pathname) : this.images.post(pathname, headers, body, processes);
    return fields === undefined ? errorResponse(404, "NotFound", "no such path") : this.success(fields);
  }

  private voiceCall(input: VoiceCall, processes: Processes, random: Random): HttpResponse {
    switch (input.action) {
      case "create":
        return this.create(input, processes, random);
      case "list":
        return this.list(input.page_index ?? 0, input.page_size ?? 10);
      case "delete":
        return this.delete(input.voice, processes, random);
    }
  }

  private create(input: VoiceCall & { action: "create" }, processes: Processes, random: Random): HttpResponse {
    if (this.existing().length >= this.options.quota)
      return errorResponse(429, "Throttling.AllocationQuota", "the account is full");
    const lagMs = random.between(0, this.options.listLagMs);
    const made = this.add(input.preferred_name, input.target_model, input.audio.data, this.world.now, lagMs);
    made.key = this.hooks.billedVoice(processes, input.preferred_name, made.voice);
    return this.success({ voice: made.voice, target_model: made.targetModel }, 1);
  }

  private list(pageIndex: number, pageSize: number): HttpResponse {
    const { now } = this.world;
    const rows = [...this.voices.values()]
      .filter(({ listedFromMs, listedUntilMs = Infinity }) => listedFromMs <= now && now < listedUntilMs)
      .reverse();
    const size = Math.min(pageSize, this.options.pageRows);
    const page = rows.slice(pageIndex * size, (pageIndex + 1) * size).map(({ voice, targetModel, createdMs }) => ({
      voice,
      target_model: targetModel,
      gmt_create: new Date(createdMs).toISOString().slice(0, 19).replace("T", " "),
    }));
    return this.success({ voice_list: page, ...(this.options.total && { total_count: rows.length }) }, 0);
  }

  private delete(name: string, processes: Processes, random: Random): HttpResponse {
    const voice = this.voices.get(name);
    if (voice === undefined || voice.deletedMs !== undefined)
      return errorResponse(400, "BadRequest.VoiceNotFound", "no such voice");
    this.hooks.deletedVoice(processes, voice);
    this.deleteOutside(voice, random.between(0, this.options.deletedLagMs));
    return this.success({}, 0);
  }

  private add(preferredName: string, targetModel: string, audio: string, createdMs: number, lagMs: number) {
    const digits = new Date(createdMs).toISOString().replace(/\D/g, "");
    const suffix = (this.voices.size + 0x1000).toString(16);
    const voice = `svc-tts-vc-${preferredName}-voice-${digits}-${suffix}`;
    const made: SimulatedVoice = {
      voice,
      preferredName,
      targetModel,
      audio,
      createdMs,
      listedFromMs: createdMs + lagMs,
    };
    this.voices.set(voice, made);
    return made;
  }

  private success(fields: object, count?: number): HttpResponse {
    const request_id = `request-${++this.requests}`;
    const usage = count === undefined ? {} : { count };
    return json(200, this.options.nested ? { output: fields, usage, request_id } : { ...fields, ...usage, request_id });
  }
}

type VoiceCall =
  | { action: "create"; target_model: string; preferred_name: string; audio: { data: string } }
  | { action: "list"; page_index?: number; page_size?: number }
  | { action: "delete"; voice: string };

function refusalOf(fault: Fault | undefined): HttpResponse | undefined {
  if (fault === "429") return errorResponse(429, "Throttling.RateQuota", "too many requests");
  if (fault === "500-before") return errorResponse(500, "InternalError", "failed");
  if (fault === "refused-200")
    return json(200, { code: "InternalError.Algo", message: "failed", request_id: "refused" });
  return undefined;
}

function errorResponse(status: number, code: string, message: string): HttpResponse {
  return json(status, { code, message, request_id: "error" });
}

function json(status: number, body: object): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

const html502: HttpResponse = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html>Bad gateway</html>",
};

function lost(): LostAnswerError {
  return new LostAnswerError("the response was lost: connection reset (ECONNRESET)");
}
