import {
  AuthenticationError,
  CloudVoiceError,
  LostAnswerError,
  RejectedError,
  UnexpectedAnswerError,
  UnreachableError,
} from "../../errors";
import { isRecord } from "../../rules/is-record";
import type { Http, HttpRequest, HttpResponse } from "../../service/http";
import { secretsHidden } from "../known-secrets";
import type { Host } from "../hosts/pipeline";

/** The longest part of a host's message that an error shows. */
const longestMessage = 300;

const permissions: Record<Host, string> = {
  github: "The job needs `pull-requests: write`, and `actions: read` for the link to the page.",
  gitlab:
    "Use a project access token with the scope `api` and at least the role Reporter: a CI_JOB_TOKEN can't write notes.",
  azure: "The build service of the project needs the permission `Contribute to pull requests` on the repository.",
  bitbucket: "The access token needs the scope `pullrequest:write`.",
};

export interface HostAccess {
  host: Host;
  /** Requests go only to the origin of this address, because they carry the token. */
  api: string;
  token: string;
  /** The variable that has the token. */
  tokenName: string;
}

export interface HostResponse {
  body: string;
  /** The header `Link`, which has the addresses of other pages. Empty if the response has no such header. */
  link: string;
}

/** Sends one request. A `body` is sent as JSON. */
export type HostFetch = (
  method: HttpRequest["method"],
  url: string,
  headers: Record<string, string>,
  body?: object,
) => Promise<HostResponse>;

/** Sends requests to a host's API without redirects or retries. Throws for 203, and for any status but 2xx. */
export function hostFetch(http: Http, access: HostAccess): HostFetch {
  const { origin } = new URL(access.api);
  return async (method, url, requestHeaders, json) => {
    // The address of the next page comes from a response, so the address may be that of another server.
    if (new URL(url, access.api).origin !== origin)
      throw new UnexpectedAnswerError(`${access.host} named an address of another server for its next page`);
    const content = json && { "content-type": "application/json" };
    const headers = { "user-agent": "pulumi-cloudvoice", accept: "application/json", ...requestHeaders, ...content };
    const body = json && (() => JSON.stringify(json));
    const sent = http.send({ method, url, headers, mayCarryPictures: true, ...(body && { body }) });
    const response = await sent.catch((error: unknown) => {
      throw CloudVoiceError.is(error) ? error.amend({ advice: adviceAfter(error) }) : error;
    });
    const { status } = response;
    // Azure answers a wrong token with a sign-in page: status 203 or a redirect.
    if (status < 200 || status > 299 || status === 203)
      throw refusal(response, new URL(url, access.api).pathname, access);
    return { body: response.body, link: String(response.headers.link ?? "") };
  };
}

function adviceAfter(error: CloudVoiceError): string {
  if (error instanceof LostAnswerError)
    return "Run the job again. If the comment was written after all, the next run updates it.";
  const isWrongAddress = error instanceof UnreachableError && error.nothingListens;
  return isWrongAddress ? "Check the addresses in the pipeline's variables." : (error.advice ?? "Run the job again.");
}

/** Matches the path of the comments on a pull request. */
const ofPullRequest = /\/(?:issues|merge_requests|pullrequests)\/\d+\/(?:comments|notes|threads)$/i;

function refusal(
  { status, body: text }: HttpResponse,
  path: string,
  { host, token, tokenName }: HostAccess,
): CloudVoiceError {
  const isLimited = status === 429 || (status === 403 && /rate limit|abuse/i.test(text));
  const reason =
    secretsHidden([token])(messageIn(text).slice(0, longestMessage)) || "the response does not state a reason";
  const refusedText = `${host} refused the request: ${reason}`;
  if (isLimited)
    return new RejectedError(refusedText, {
      status,
      advice: "The host received too many requests. Run the job again later.",
    });
  if (status === 401 || status === 203 || (status >= 300 && status < 400))
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
function messageIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const { error, message, errors } = isRecord(body) ? body : {};
    const hostMessage = (isRecord(error) ? error.message : undefined) ?? message ?? error ?? errors ?? "";
    return typeof hostMessage === "string" ? hostMessage : JSON.stringify(hostMessage);
  } catch {
    return ""; // For example the HTML of a proxy.
  }
}
