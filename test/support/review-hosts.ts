import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "./serve";

/**
 * Stand-ins for the hosts of pull requests. They page, order and refuse as the documents of their APIs say:
 * docs.github.com/rest (issue comments, workflow artifacts) and docs.gitlab.com/api (notes, jobs, pagination).
 */

export const token = "t0ken-that-writes-comments";
/** Whose token it is. */
export const self = "11";
const other = "12";

export interface StoredNote {
  id: number;
  author: string;
  body: string;
  /** Written by GitLab itself. */
  isNoText?: boolean;
}

export class HostStandIn {
  notes: StoredNote[] = [];
  artifacts: { id: number; name: string; created_at: string; expired?: boolean }[] = [];
  jobs: { id: number; name: string }[] = [];
  /** The method and the path of each request, without the query. */
  requests: string[] = [];
  /** The address of the next page, in place of the right one. */
  nextPage: string | undefined;
  url = "";

  add(count: number, note: Partial<StoredNote> = {}): void {
    for (let each = 0; each < count; each++) this.create({ author: other, body: "Looks good.", ...note });
  }

  create(note: Omit<StoredNote, "id">): StoredNote {
    const stored = { ...note, id: 1000 + this.notes.length };
    this.notes.push(stored);
    return stored;
  }
}

type Answer = { status?: number; json?: unknown; text?: string; headers?: Record<string, string> };
type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  json: never;
};
type Respond = (host: HostStandIn, request: Request) => Answer;

async function start(respond: Respond): Promise<HostStandIn> {
  const host = new HostStandIn();
  const { url } = await serve((request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? "", "http://host");
      const method = request.method ?? "";
      host.requests.push(`${method} ${path}`);
      const body = Buffer.concat(parts).toString();
      const json = (body === "" ? undefined : JSON.parse(body)) as never;
      const answer = respond(host, { method, path, query, headers: request.headers, json });
      const type = answer.text === undefined ? "application/json" : "text/html";
      response.writeHead(answer.status ?? 200, { "content-type": type, ...answer.headers });
      response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
    });
  });
  host.url = url;
  return host;
}

/** One page of a list, and whether another one follows. */
function paged<T>(all: T[], query: URLSearchParams, size: string, usual: number) {
  const length = Math.min(Number(query.get(size) ?? usual), 100);
  const page = Number(query.get("page") ?? 1);
  return {
    rows: all.slice((page - 1) * length, page * length),
    next: page * length < all.length ? page + 1 : undefined,
  };
}

function linkTo(host: HostStandIn, { path, query }: Request, next: number | undefined): Record<string, string> {
  if (next === undefined) return { link: `<${host.url}${path}?page=1>; rel="first"` };
  query.set("page", String(next));
  const address = host.nextPage ?? `${host.url}${path}?${query.toString()}`;
  return {
    link: `<${host.url}${path}?page=1>; rel="first", <${address}>; rel="next", <${host.url}${path}>; rel="last"`,
  };
}

const idIn = (path: string) => Number(/(\d+)$/.exec(path)?.[1]);
const noteIn = (host: HostStandIn, path: string) => host.notes.find(({ id }) => id === idIn(path));

const gitHub: Respond = (host, request) => {
  const { method, path, query, headers, json } = request;
  if (headers.authorization !== `Bearer ${token}`)
    return { status: 401, json: { message: `Bad credentials: ${token}` } };
  if (path === "/api/graphql") return { json: { data: { viewer: { login: self } } } };
  const { body } = (json ?? {}) as { body?: string };
  if (body !== undefined && body.length > 65_536)
    return {
      status: 422,
      json: { message: "Validation Failed", errors: ["body is too long (maximum is 65536 characters)"] },
    };
  const shown = ({ id, author, body: text }: StoredNote) => ({ id, body: text, user: { login: author } });
  if (path === "/api/v3/repos/team/voices/issues/7/comments") {
    if (method === "POST") return { status: 201, json: shown(host.create({ author: self, body: body ?? "" })) };
    const { rows, next } = paged(host.notes, query, "per_page", 30);
    return { json: rows.map(shown), headers: linkTo(host, request, next) };
  }
  // Whoever may write to the repository may change the comments of others.
  if (method === "PATCH" && path.startsWith("/api/v3/repos/team/voices/issues/comments/")) {
    Object.assign(noteIn(host, path) ?? {}, { body });
    return { json: {} };
  }
  if (path === "/api/v3/repos/team/voices/actions/runs/5/artifacts") {
    const named = host.artifacts.filter(({ name }) => name === query.get("name")).reverse();
    const { rows, next } = paged(named, query, "per_page", 30);
    return { json: { total_count: named.length, artifacts: rows }, headers: linkTo(host, request, next) };
  }
  return { status: 404, json: { message: "Not Found", documentation_url: "https://docs.github.com/rest" } };
};

const gitLab: Respond = (host, request) => {
  const { method, path, query, headers, json } = request;
  if (headers["private-token"] !== token) return { status: 401, json: { message: "401 Unauthorized" } };
  const notes = "/api/v4/projects/77/merge_requests/7/notes";
  const { body } = (json ?? {}) as { body?: string };
  const shown = ({ id, author, body: text, isNoText = false }: StoredNote) => ({
    ...{ id, body: text, author: { id: Number(author) }, system: isNoText },
  });
  if (path === "/api/v4/user") return { json: { id: Number(self), username: "bot" } };
  if (path === notes && method === "POST")
    return { status: 201, json: shown(host.create({ author: self, body: body ?? "" })) };
  if (path === notes) {
    const all = query.get("sort") === "asc" ? host.notes : [...host.notes].reverse();
    const { rows, next } = paged(all, query, "per_page", 20);
    return { json: rows.map(shown), headers: { ...linkTo(host, request, next), "x-next-page": String(next ?? "") } };
  }
  if (method === "PUT" && path.startsWith(`${notes}/`)) {
    const note = noteIn(host, path);
    if (note?.author !== self) return { status: 403, json: { message: "403 Forbidden" } };
    Object.assign(note, { body });
    return { json: {} };
  }
  if (path === "/api/v4/projects/77/pipelines/5/jobs") {
    const { rows, next } = paged([...host.jobs].reverse(), query, "per_page", 20);
    return { json: rows, headers: linkTo(host, request, next) };
  }
  return { status: 404, json: { message: "404 Not found" } };
};

const responders = { github: gitHub, gitlab: gitLab };

/** Starts a stand-in, and returns it with the variables that a pipeline of the host has. */
export async function startHost(name: keyof typeof responders) {
  const host = await start(responders[name]);
  const variables = {
    github: {
      ...{ GITHUB_ACTIONS: "true", GITHUB_API_URL: `${host.url}/api/v3`, GITHUB_SERVER_URL: "https://ghes.example" },
      ...{ GITHUB_REPOSITORY: "team/voices", GITHUB_REF: "refs/pull/7/merge", GITHUB_RUN_ID: "5", GITHUB_TOKEN: token },
    },
    gitlab: {
      ...{ GITLAB_CI: "true", CI_API_V4_URL: `${host.url}/api/v4`, CI_SERVER_URL: "https://gitlab.example" },
      ...{ CI_PROJECT_ID: "77", CI_PROJECT_URL: "https://gitlab.example/team/voices", CI_PIPELINE_ID: "5" },
      ...{ CI_MERGE_REQUEST_IID: "7", GITLAB_TOKEN: token },
    },
  }[name] as Record<string, string>;
  return { host, variables };
}
