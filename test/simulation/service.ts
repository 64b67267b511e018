import { type Dialect, drawDialect, flatDialect, nestedDialect, replyOf } from "../../provider/emulator/forms";
import { type SilentKind, silentKinds, silentReply } from "../../provider/emulator/faults";
import type { Outcome } from "../../provider/emulator/outcome";
import { VoiceNames } from "../../provider/emulator/voice-names";
import { inOrder } from "../../provider/emulator/voices";
import { LostAnswerError, UnreachableError } from "../../provider/src/errors";
import type { Http, HttpRequest, HttpResponse } from "../../provider/src/service/http";
import { models } from "./program";
import { Images } from "./service-images";
import type { Processes } from "./process";
import type { Random, World } from "./world";

/**
 * How the service behaves in a run. Written from the service's contract, and independent of the emulator. Only the forms
 * of its responses are those of the emulator's dialects.
 */
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
  /** The seed of the forms that the contract leaves open, or how they differ from the usual ones. */
  dialect: number | Partial<Dialect> | null;
  quota: number;
  /** The share of the requests that fail in some way, in operations with faults. */
  faults: number;
  /** The share of the responses that say nothing, in operations with faults. */
  silence: number;
}

/** A service without any difficulty. */
export const plainService: ServiceOptions = {
  ...{ listLagMs: 0, deletedLagMs: 0, workMs: 500, pageRows: 1000, total: true, nested: true },
  ...{ quota: 1000, faults: 0, dialect: null, silence: 0 },
};

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

const faultKinds = [
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
] as const;
type Fault = (typeof faultKinds)[number];
const requestTimeoutMs = 60_000;
/** The connection of a create that takes longer than this breaks only by the client's own timeout. */
const longestWorkOfBrokenConnectionMs = 20_000;

export class Service {
  readonly voices = new Map<string, SimulatedVoice>();
  readonly images: Images;
  readonly dialect: Dialect;
  private readonly names = new VoiceNames(0x1000);
  private readonly readPages = new WeakMap<Processes, { first: boolean; last: boolean }>();
  private requests = 0;

  constructor(
    private readonly world: World,
    readonly options: ServiceOptions,
    readonly hooks: ServiceHooks,
  ) {
    const usual = options.nested ? nestedDialect : flatDialect;
    const { dialect } = options;
    this.dialect =
      typeof dialect === "number" ? drawDialect(dialect) : { ...usual, ...(dialect ?? { requestId: "body" as const }) };
    this.images = new Images(world, hooks, this.dialect);
  }

  exists(voice: string): boolean {
    const found = this.voices.get(voice);
    return found !== undefined && found.deletedMs === undefined;
  }

  existing(): SimulatedVoice[] {
    return [...this.voices.values()].filter(({ deletedMs }) => deletedMs === undefined);
  }

  /** So many voices that somebody else created some time ago. */
  addStrangers(count: number): void {
    for (let each = 0; each < count; each++) {
      const createdMs = this.world.now - each * 20 * 3600 * 1000 - 60_000;
      this.add(`stranger${each}`, models[0], "https://audio.example/strange", createdMs, 0);
    }
  }

  /** Somebody creates a voice, with whatever tool. */
  addByHand(preferredName: string): void {
    this.add(preferredName, models[0], "https://audio.example/by-hand", this.world.now - 3_600_000, 0);
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
      send: async (request) => {
        await request.beforeSend?.(0);
        return new Promise<HttpResponse>((resolve, reject) => {
          const fault = random.chance(faults) ? random.pick(faultKinds) : undefined;
          const silent = fault === undefined && hasFaults ? this.silence(random) : undefined;
          const answerWith = (ms: number, response: HttpResponse) => processes.inProvider(ms, () => resolve(response));
          const failWith = (ms: number, error: Error) => processes.inProvider(ms, () => reject(error));
          const tripMs = random.between(5, 60);
          if (fault === "unreachable")
            return failWith(tripMs, new UnreachableError("the service could not be reached"));
          if (fault === "lost-before") return failWith(tripMs, lost());
          const text = request.body?.();
          // The request is on its way: it arrives even if the process that sent it has ended.
          this.world.after(tripMs, () => {
            // The contract gives a delete no fields of its own: a response of success without an error says that it is done.
            const saysDone =
              typeof text === "string" &&
              text.includes('"action":"delete"') &&
              silent !== undefined &&
              errorless.has(silent.kind);
            const isEarly = silent?.afterWork === false && !saysDone;
            const quote = `${request.headers.authorization ?? ""} ${typeof text === "string" ? text : ""}`;
            const refusal = this.refusalOf(fault, quote) ?? (isEarly ? this.silent(silent.kind) : undefined);
            if (refusal) return answerWith(tripMs, refusal);
            const body = typeof text === "string" ? (JSON.parse(text) as Record<string, unknown>) : {};
            const isCreate = (body.input as { action?: unknown } | undefined)?.action === "create";
            const workMs = isCreate ? this.workMs(random, fault) : random.between(5, 40);
            if (fault === "lost-early") failWith(random.between(1, 300), lost());
            this.world.after(workMs, () => {
              const done = this.handle(request, body, processes, random);
              const response = silent ? this.silent(silent.kind, done) : done.response;
              const intent = this.images.takeBilled();
              const isLost = () => intent !== undefined && this.hooks.lostTask(intent);
              const timesOut = workMs + 2 * tripMs > requestTimeoutMs;
              if (!timesOut && (fault === undefined || fault === "429")) {
                if (silent) isLost();
                const arrive = () => {
                  if (!silent) done.arrived?.();
                  resolve(response);
                };
                return processes.inProvider(tripMs, arrive, isLost);
              }
              isLost();
              if (timesOut || fault === "lost-early") return;
              if (fault === "lost-after") failWith(tripMs, lost());
              else
                answerWith(
                  tripMs,
                  fault === "502-after"
                    ? html502
                    : this.error("unknown", 500, "InternalError", `failed: ${quote}`).response,
                );
            });
            if (workMs + 2 * tripMs > requestTimeoutMs && fault !== "lost-early")
              failWith(requestTimeoutMs - tripMs, new LostAnswerError("the response was lost: timeout"));
          });
        });
      },
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

  /** What becomes of a response that says nothing, and when. */
  private silence(random: Random): Silence | undefined {
    if (this.options.silence === 0 || !random.chance(this.options.silence)) return undefined;
    // With the setting `forms.error`, the success of a response proves an empty list, whatever other field it has.
    const emptyList = this.dialect.forms?.error === undefined ? (["empty-list"] as const) : [];
    const kind = random.pick([...silentKinds, "cut", ...emptyList] as const);
    // What a service refuses, it has not done.
    return { kind, afterWork: kind !== "refusal-200" && random.chance(0.5) };
  }

  private silent(kind: Silence["kind"], done?: Answer): HttpResponse {
    if (kind === "empty-list") return this.emptyList();
    if (kind !== "cut") return silentReply(kind, `request-${++this.requests}`);
    const whole = done?.response.body ?? '{"request_id": "cut", ';
    return { status: 200, headers: {}, body: whole.slice(0, whole.length / 2) };
  }

  /** A replica that is behind answers as for an empty account, and says so in a status that nobody knows. */
  private emptyList(): HttpResponse {
    const output = { voice_list: [], page_index: 0, page_size: 1000, ...(this.options.total && { total_count: 0 }) };
    const { response } = this.answer("list", { status: 200, output, usage: { count: 0 } });
    return { ...response, body: JSON.stringify({ ...(JSON.parse(response.body) as object), status: "catching up" }) };
  }

  private handle(
    { url, method, headers }: HttpRequest,
    body: Record<string, unknown>,
    processes: Processes,
    random: Random,
  ): Answer {
    if (!headers.authorization?.startsWith("Bearer ")) return this.error("unknown", 401, "InvalidApiKey", "no key");
    const { pathname } = new URL(url);
    if (pathname === "/api/v1/services/audio/tts/customization")
      return this.voiceCall(body.input as VoiceCall, processes, random);
    if (method === "GET") return this.answer("poll", this.images.poll(decodeURIComponent(pathname)) ?? noSuchPath);
    const output = this.images.post(pathname, headers, body, processes);
    if (output === undefined) return this.answer("unknown", noSuchPath);
    const { input_tokens, ...others } = output as { input_tokens?: number };
    if (input_tokens === undefined) return this.answer("submit", { status: 200, output: { ...others } });
    return this.answer("decide", { status: 200, output: { ...others }, usage: { input_tokens } });
  }

  private voiceCall(input: VoiceCall, processes: Processes, random: Random): Answer {
    switch (input.action) {
      case "create":
        return this.create(input, processes, random);
      case "list":
        return this.list(input.page_index ?? 0, input.page_size ?? 10, processes);
      case "delete":
        return this.delete(input.voice, processes, random);
    }
  }

  private create(input: VoiceCall & { action: "create" }, processes: Processes, random: Random): Answer {
    if (this.existing().length >= this.options.quota)
      return this.error("create", 429, "Throttling.AllocationQuota", "the account is full");
    const lagMs = random.between(0, this.options.listLagMs);
    const made = this.add(input.preferred_name, input.target_model, input.audio.data, this.world.now, lagMs);
    made.key = this.hooks.billedVoice(processes, input.preferred_name, made.voice);
    const output = { voice: made.voice, target_model: made.targetModel };
    return this.answer("create", { status: 200, output, usage: { count: 1 } });
  }

  private list(page_index: number, pageSize: number, processes: Processes): Answer {
    const { now } = this.world;
    const listed = [...this.voices.values()].filter(
      ({ listedFromMs, listedUntilMs = Infinity }) => listedFromMs <= now && now < listedUntilMs,
    );
    const rows = inOrder(listed, this.dialect);
    const { pageRows, ignoresPageSize } = this.dialect.list;
    const most = Math.min(this.options.pageRows, pageRows ?? Infinity);
    const size = ignoresPageSize ? most : Math.min(pageSize, most);
    const voice_list = rows
      .slice(page_index * size, (page_index + 1) * size)
      .map(({ voice, targetModel, createdMs }) => ({
        voice,
        target_model: targetModel,
        gmt_create: new Date(createdMs).toISOString().slice(0, 19).replace("T", " "),
      }));
    // Without a total, an account whose list is left out while it is empty could not be understood.
    const hasTotal = this.options.total || this.dialect.list.whenEmpty === "absent";
    const paging = { page_index, page_size: size, ...(hasTotal && { total_count: rows.length }) };
    const answer = this.answer("list", { status: 200, output: { voice_list, ...paging }, usage: { count: 0 } });
    return {
      ...answer,
      arrived: () => {
        const { first = false, last = false } = this.readPages.get(processes) ?? {};
        const isLast = (page_index + 1) * size >= rows.length;
        this.readPages.set(processes, { first: first || page_index === 0, last: last || isLast });
      },
    };
  }

  /** Whether the provider process has read a list to its end: nothing else proves that a voice is absent. */
  hasReadToTheEnd(processes: Processes): boolean {
    const { first = false, last = false } = this.readPages.get(processes) ?? {};
    return first && last;
  }

  private delete(name: string, processes: Processes, random: Random): Answer {
    const voice = this.voices.get(name);
    if (voice === undefined || voice.deletedMs !== undefined)
      return this.error("delete", 400, "BadRequest.VoiceNotFound", "no such voice");
    this.hooks.deletedVoice(processes, voice);
    this.deleteOutside(voice, random.between(0, this.options.deletedLagMs));
    return this.answer("delete", { status: 200, output: {}, usage: { count: 0 } });
  }

  private add(preferredName: string, targetModel: string, audio: string, createdMs: number, lagMs: number) {
    const { voice } = this.names.createVoice(preferredName, targetModel, createdMs, this.dialect);
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

  private answer(action: Parameters<typeof replyOf>[1], outcome: Outcome): Answer {
    return { response: replyOf(this.dialect, action, `request-${++this.requests}`, outcome) };
  }

  private error(action: Parameters<typeof replyOf>[1], status: number, code: string, message: string): Answer {
    return this.answer(action, { status, code, message });
  }

  /** The messages quote the request, with its key and its secrets. */
  private refusalOf(fault: Fault | undefined, quote: string): HttpResponse | undefined {
    if (fault === "429") return this.error("unknown", 429, "Throttling.RateQuota", quote).response;
    if (fault === "500-before") return this.error("unknown", 500, "InternalError", quote).response;
    if (fault !== "refused-200") return undefined;
    return { ...this.error("unknown", 500, "InternalError.Algo", quote).response, status: 200 };
  }
}

/** A response that says nothing of what was asked. `afterWork`: it was done all the same. */
interface Silence {
  kind: SilentKind | "cut" | "empty-list";
  afterWork: boolean;
}

/** A response, and what to record when the provider has received it. */
interface Answer {
  response: HttpResponse;
  arrived?: () => void;
}

/** In a dialect that states success, an empty list states it too. */
const errorless: ReadonlySet<string> = new Set<Silence["kind"]>([
  "empty-body",
  "empty-object",
  "total-only",
  "empty-list",
]);

const noSuchPath: Outcome = { status: 404, code: "NotFound", message: "no such path" };

type VoiceCall =
  | { action: "create"; target_model: string; preferred_name: string; audio: { data: string } }
  | { action: "list"; page_index?: number; page_size?: number }
  | { action: "delete"; voice: string };

const html502: HttpResponse = {
  status: 502,
  headers: { "content-type": "text/html" },
  body: "<html>Bad gateway</html>",
};

function lost(): LostAnswerError {
  return new LostAnswerError("the response was lost: connection reset (ECONNRESET)");
}
