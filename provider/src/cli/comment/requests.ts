import type * as z from "zod";
import { attempt } from "../../describe-thrown";
import {
  AuthenticationError,
  CloudVoiceError,
  LostAnswerError,
  RejectedError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../../errors";
import { isRecord } from "../../rules/values";
import type { Http, HttpRequest, HttpResponse } from "../../service/http";
import { secretsHidden } from "../known-secrets";
import type { Host } from "../hosts/pipeline";

const permissions: Record<Host, string> = {
  github: "The job needs `pull-requests: write`, and `actions: read` for the link to the page.",
  gitlab:
    "Use a project access token with the scope `api` and at least the role Reporter: a CI_JOB_TOKEN can't write notes.",
};

const headersOf: Record<Host, (token: string) => Record<string, string>> = {
  github: (token) => ({ authorization: `Bearer ${token}`, accept: "application/vnd.github+json" }),
  gitlab: (token) => ({ "private-token": token }),
};

interface HostAccess {
  host: Host;
  /** Requests go only to the origin of this address, because they carry the token. */
  api: string;
  token: string;
  /** The variable that has the token. */
  tokenName: string;
}

/** The most pages of a list that are read: more than any pull request fills. */
const mostPages = 1000;

/** Sends JSON requests to a host's API, without redirects or retries, and checks its responses. */
export class Requests {
  constructor(
    private readonly http: Http,
    private readonly access: HostAccess,
  ) {}

  async get<T>(url: string, schema: z.ZodType<T>): Promise<T> {
    return understood(jsonOf(await this.send("GET", url)), schema);
  }

  /** Sends a query by POST, e.g. in GraphQL. */
  async post<T>(url: string, body: object, schema: z.ZodType<T>): Promise<T> {
    return understood(jsonOf(await this.send("POST", url, body)), schema);
  }

  /** Reads all pages of a list. In each response, the header `Link` names the next page. */
  async pages<T>(url: string, schema: z.ZodType<T>): Promise<T[]> {
    const pages: T[] = [];
    for (let at: string | undefined = url; at !== undefined;) {
      if (pages.length === mostPages)
        throw new UnexpectedAnswerError(`the list has more than ${mostPages} pages, so it was not read to its end`);
      const response: HttpResponse = await this.send("GET", at);
      pages.push(understood(jsonOf(response), schema));
      at = /<([^<>]+)>; *rel="next"/.exec(String(response.headers.link ?? ""))?.[1];
    }
    return pages;
  }

  /** Throws for any status but 2xx. */
  async send(method: HttpRequest["method"], url: string, json?: object): Promise<HttpResponse> {
    const { host, api, token } = this.access;
    const { origin, pathname } = new URL(url, api);
    // The address of the next page comes from a response, so the address may be that of another server.
    if (origin !== new URL(api).origin) throw new UnexpectedAnswerError(`${host} named a next page on another server`);
    const content = json && { "content-type": "application/json" };
    const headers = {
      "user-agent": "pulumi-cloudvoice",
      accept: "application/json",
      ...headersOf[host](token),
      ...content,
    };
    const body = json && { body: () => JSON.stringify(json) };
    const sent = this.http.send({ method, url, headers, mayCarryPictures: true, ...body });
    const response = await sent.catch((error: unknown) => {
      throw CloudVoiceError.is(error) ? error.amend({ advice: adviceAfter(error) }) : error;
    });
    const { status } = response;
    if (status < 200 || status > 299) throw refusal(response, pathname, this.access);
    return response;
  }
}

function jsonOf({ body }: HttpResponse): unknown {
  return attempt((): unknown => JSON.parse(body));
}

function understood<T>(response: unknown, schema: z.ZodType<T>): T {
  const { success, data, error } = schema.safeParse(response);
  if (success) return data;
  const places = error.issues.slice(0, 3).map(({ path }) => path.join(".") || "all of it");
  throw new UnexpectedAnswerError(`the host's response was not understood: ${places.join(", ")}`);
}

function adviceAfter(error: CloudVoiceError): string {
  if (error instanceof LostAnswerError)
    return "Run the job again. If the comment was written after all, the next run updates it.";
  const isWrongAddress = error instanceof UnreachableError && error.nothingListens;
  return isWrongAddress ? "Check the addresses in the pipeline's variables." : (error.advice ?? "Run the job again.");
}

/** Matches the path of the comments on a pull request. */
const ofPullRequest = /\/(?:issues|merge_requests)\/\d+\/(?:comments|notes)$/i;

function refusal(response: HttpResponse, path: string, { host, token, tokenName }: HostAccess): CloudVoiceError {
  const { status } = response;
  const isLimited = status === 429 || (status === 403 && /rate limit|abuse/i.test(response.body));
  const reason = secretsHidden([token])(messageIn(response).slice(0, 300)) || "the response does not state a reason";
  const refusedText = `${host} refused the request: ${reason}`;
  if (isLimited)
    return new RejectedError(refusedText, {
      status,
      advice: "The host received too many requests. Run the job again later.",
    });
  if (status === 401)
    return new AuthenticationError(refusedText, {
      status,
      advice: `The token in ${tokenName} is not valid for this host, or has expired. Set another token.`,
    });
  const missing = ofPullRequest.test(path) ? "The pull request does not exist" : `There is nothing at ${path}`;
  const advice = `${status === 404 ? `${missing}, or the token has no access to it. ` : ""}${permissions[host]}`;
  if (status === 403 || status === 404) return new RejectedError(refusedText, { status, advice });
  return new RejectedError(refusedText, { status, advice: status >= 500 ? "Run the job again." : "" });
}

/** The reason in a host's response: a text, or an object or array of texts, in one of these fields. */
function messageIn(response: HttpResponse): string {
  const json = jsonOf(response);
  const { error, message, errors } = isRecord(json) ? json : {};
  const hostMessage = message ?? error ?? errors ?? "";
  return typeof hostMessage === "string" ? hostMessage : JSON.stringify(hostMessage);
}
