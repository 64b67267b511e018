import type * as z from "zod";
import { CloudVoiceError, UnexpectedAnswerError } from "../../errors";
import { isRecord } from "../../rules/is-record";
import type { HttpRequest } from "../../service/http";
import type { HostFetch, HostResponse } from "./host-fetch";

/** A comment on a pull request. */
export interface Note {
  /** Higher for newer notes. */
  order: number;
  author: string | undefined;
  body: string;
  /** The path of the note in the API. */
  path: string;
}

/** The comments on one pull request, on one of the hosts. */
export interface Conversation {
  /** The author of comments that are written with this token. Undefined if the host does not report the author. */
  me(): Promise<string | undefined>;
  /** All comments, from all pages. */
  notes(): Promise<Note[]>;
  create(body: string): Promise<unknown>;
  update(note: Note, body: string): Promise<unknown>;
  /** The address of the page that this pipeline has published with the review. */
  page?(artifact: string | undefined): Promise<string | undefined>;
}

export type Behavior = "update" | "new";

/** Replaces the newest comment of the same author whose first line is `mark`, or posts a new comment. */
export async function post(
  conversation: Conversation,
  { mark, body }: { mark: string; body: string },
  behavior: Behavior,
): Promise<"posted" | "updated"> {
  const me = behavior === "update" ? await conversation.me() : undefined;
  const notes = behavior === "update" ? await conversation.notes() : [];
  const replaceable = notes.filter(
    (note) => firstLineOf(note.body) === mark && (me === undefined || note.author === me),
  );
  for (const note of replaceable.sort((a, b) => b.order - a.order)) {
    try {
      await conversation.update(note, body);
      return "updated";
    } catch (error) {
      // If `me` is unknown, 403 means that the comment is somebody else's. Try the next comment then.
      if (me !== undefined || !CloudVoiceError.is(error) || error.status !== 403) throw error;
    }
  }
  await conversation.create(body);
  return "posted";
}

function firstLineOf(text: string): string {
  return text.slice(0, 1000).split("\n")[0]?.trimEnd() ?? "";
}

/** The most pages of a list that are read: more than any pull request fills. */
const mostPages = 1000;

/** Sends JSON requests to a host's API, and checks its responses. */
export class Requests {
  constructor(
    private readonly fetch: HostFetch,
    private readonly headers: Record<string, string>,
  ) {}

  async get<T>(url: string, schema: z.ZodType<T>): Promise<T> {
    return understood(jsonOf(await this.send("GET", url)), schema);
  }

  /** Sends a query by POST, e.g. in GraphQL. */
  async post<T>(url: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return understood(jsonOf(await this.send("POST", url, body)), schema);
  }

  /** Reads all pages of a list. In each response, the header `Link` or the field `next` names the next page. */
  async pages<T>(url: string, schema: z.ZodType<T>): Promise<T[]> {
    const pages: T[] = [];
    for (let at: string | undefined = url; at !== undefined;) {
      if (pages.length === mostPages)
        throw new UnexpectedAnswerError(`the list has more than ${mostPages} pages, so it was not read to its end`);
      const response: HostResponse = await this.send("GET", at);
      const json = jsonOf(response);
      pages.push(understood(json, schema));
      const inBody = isRecord(json) && typeof json.next === "string" ? json.next : undefined;
      at = /<([^<>]+)>; *rel="next"/.exec(response.link)?.[1] ?? inBody;
    }
    return pages;
  }

  send(method: HttpRequest["method"], url: string, body?: object): Promise<HostResponse> {
    return this.fetch(method, url, this.headers, body);
  }
}

function jsonOf({ body }: HostResponse): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the response if it fits the schema, and throws otherwise. */
function understood<T>(response: unknown, schema: z.ZodType<T>): T {
  const { success, data, error } = schema.safeParse(response);
  if (success) return data;
  const places = error.issues.slice(0, 3).map(({ path }) => path.join(".") || "all of it");
  throw new UnexpectedAnswerError(`the host's response was not understood: ${places.join(", ")}`);
}
