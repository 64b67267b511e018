import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { Deployment, JournalEntry } from "./journal";
import { HostedStack, Refusal } from "./stacks";

/*
 * A stand-in for Pulumi's hosted backend, in memory and for tests only: organisations, leases, the service's secrets,
 * checkpoints and the journal. The calls and their forms are those of `backend/httpstate` in pkg/v3 and of `apitype` in
 * sdk/v3, version 3.259.
 */

export interface HostedOptions {
  organizations: readonly [string, ...string[]];
  /** The organisation of stacks that are named without one. Default: the first. */
  defaultOrganization?: string;
  /** Whether updates send a journal in place of checkpoints, as with Pulumi Cloud. Default: true. */
  journaling?: boolean;
}

export interface HostedBackend {
  url: string;
  /** The environment of a command line that is logged in. */
  env: { PULUMI_BACKEND_URL: string; PULUMI_ACCESS_TOKEN: string };
  /** The stacks, by `organization/project/name`. */
  stack(fullName: string): HostedStack | undefined;
  /** The calls so far, as `POST /api/stacks/acme/voices/dev/update`. */
  calls: readonly string[];
  close(): Promise<void>;
}

interface Call {
  body: Record<string, unknown>;
  query: URLSearchParams;
  /** The token of the header `Authorization`. */
  token: string;
}

type Answer = object | undefined;

const accessToken = "pul-0123456789";

export async function startHostedBackend(options: HostedOptions): Promise<HostedBackend> {
  const stacks: HostedStack[] = [];
  const calls: string[] = [];
  const routes = routesOf(stacks, options);
  const server = createServer((request, reply) => {
    const { method = "", url = "" } = request;
    const { pathname, searchParams: query } = new URL(url, "http://backend");
    calls.push(`${method} ${pathname}`);
    const answer = async () => {
      const token = authorise(request);
      const body = await bodyOf(request);
      const [route, path] = findRoute(routes, `${method} ${pathname}`);
      return route(path, { body, query, token });
    };
    answer().then(
      (result) => reply.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result ?? {})),
      (error: unknown) => {
        const code = error instanceof Refusal ? error.code : 500;
        const message = error instanceof Error ? error.message : String(error);
        reply.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify({ code, message }));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ url, calls },
    env: { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: accessToken },
    stack: (wanted) => stacks.find(({ fullName }) => fullName === wanted),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Route = (path: string[], call: Call) => Answer;

/** The routes by method and path. A `*` is one part of the path, and is passed on. */
function routesOf(
  stacks: HostedStack[],
  { organizations, defaultOrganization, journaling = true }: HostedOptions,
): Record<string, Route> {
  const user = organizations[0];
  const find = ([organization, project, name]: string[]): HostedStack => {
    const wanted = `${organization}/${project}/${name}`;
    const found =
      stacks.find(({ fullName }) => fullName === wanted) ??
      stacks.find(({ formerNames }) => formerNames.includes(wanted));
    if (!found) throw new Refusal(404, "Not Found: Stack not found");
    return found;
  };
  const onStack =
    (work: (stack: HostedStack, call: Call, rest: string[]) => Answer): Route =>
    (path, call) =>
      work(find(path), call, path.slice(3));
  const isIn =
    (organization = "", project = "") =>
    (stack: HostedStack) =>
      stack.organization === organization && stack.project === project;
  const stackPath = "/api/stacks/*/*/*";

  return {
    "GET /api/user": () => ({
      ...{ id: "1", name: user, githubLogin: user },
      organizations: organizations.map((name) => ({ name, githubLogin: name })),
    }),
    "GET /api/user/organizations/default": () => ({ GitHubLogin: defaultOrganization ?? user, messages: [] }),
    "GET /api/capabilities": () => ({ capabilities: [{ capability: "batch-encrypt" }] }),
    "GET /api/cli/version": () => ({ latestVersion: "v3.0.0", oldestWithoutWarning: "v3.0.0" }),
    "GET /api/user/stacks": (_, { query }) => ({
      stacks: stacks
        .filter(({ organization }) => [organization, null].includes(query.get("organization")))
        .filter(({ project }) => [project, null].includes(query.get("project")))
        .map(({ id, organization, project, name, deployment }) => ({
          ...{ id, orgName: organization, projectName: project, stackName: name },
          resourceCount: deployment?.resources?.length ?? 0,
        })),
    }),

    "HEAD /api/stacks/*/*": ([organization, project]) => {
      if (!stacks.some(isIn(organization, project))) throw new Refusal(404, "Not Found: Project not found");
      return undefined;
    },
    "POST /api/stacks/*/*": ([organization = "", project = ""], { body }) => {
      const {
        stackName,
        tags = {},
        state,
      } = body as {
        stackName: string;
        tags?: Record<string, string>;
        state?: { deployment: Deployment };
      };
      if (!organizations.includes(organization)) throw new Refusal(404, "Not Found: Organization not found");
      if (stacks.some((each) => isIn(organization, project)(each) && each.name === stackName))
        throw new Refusal(409, `Conflict: Stack '${stackName}' already exists.`);
      const stack = new HostedStack(organization, project, stackName);
      stack.tags = tags;
      if (state) stack.import(state.deployment);
      stacks.push(stack);
      return {};
    },

    [`GET ${stackPath}`]: onStack(({ id, organization, project, name, running, tags, version }) => ({
      ...{ id, orgName: organization, projectName: project, stackName: name, tags, version },
      activeUpdate: running?.id ?? "",
    })),
    [`DELETE ${stackPath}`]: onStack((stack, { query }) => {
      stack.assertNothingRuns();
      if ((stack.deployment?.resources?.length ?? 0) > 0 && query.get("force") !== "true")
        throw new Refusal(400, "Bad Request: Stack still contains resources.");
      stacks.splice(stacks.indexOf(stack), 1);
      return undefined;
    }),
    [`PATCH ${stackPath}/tags`]: onStack((stack, { body }) => {
      stack.tags = body as Record<string, string>;
      return undefined;
    }),
    [`POST ${stackPath}/rename`]: onStack((stack, { body }) => {
      const { newName, newProject } = body as { newName?: string; newProject?: string };
      stack.rename(newProject || stack.project, newName || stack.name);
      return undefined;
    }),

    [`GET ${stackPath}/export`]: onStack(({ deployment }) => ({ version: 3, deployment: deployment ?? null })),
    [`POST ${stackPath}/import`]: onStack((stack, { body }) => ({
      updateId: stack.import((body as { deployment: Deployment }).deployment),
    })),
    [`GET ${stackPath}/updates`]: onStack((stack, { query }) => {
      const size = Number(query.get("pageSize") ?? 0);
      const from = (Number(query.get("page") ?? 1) - 1) * size;
      return { updates: size > 0 ? stack.history().slice(from, from + size) : stack.history() };
    }),
    [`GET ${stackPath}/updates/latest`]: onStack((stack) => {
      const [info] = stack.history();
      if (!info) throw new Refusal(404, "Not Found: No updates");
      return { info };
    }),

    [`POST ${stackPath}/encrypt`]: onStack((stack, { body }) => ({
      ciphertext: stack.encrypt(body.plaintext as string),
    })),
    [`POST ${stackPath}/decrypt`]: onStack((stack, { body }) => ({
      plaintext: stack.decrypt(body.ciphertext as string),
    })),
    [`POST ${stackPath}/batch-encrypt`]: onStack((stack, { body }) => ({
      ciphertexts: (body.plaintexts as string[]).map((text) => stack.encrypt(text)),
    })),
    [`POST ${stackPath}/batch-decrypt`]: onStack((stack, { body }) => ({
      plaintexts: Object.fromEntries((body.ciphertexts as string[]).map((text) => [text, stack.decrypt(text)])),
    })),

    ...Object.fromEntries(
      ["update", "preview", "refresh", "destroy"].map((kind) => [
        `POST ${stackPath}/${kind}`,
        onStack((stack, { body }) => ({ updateID: stack.createUpdate(kind, body.config).id })),
      ]),
    ),
    [`POST ${stackPath}/*/*`]: onStack((stack, { body }, [, id = ""]) => {
      const withJournal = journaling && Number(body.journalVersion ?? 0) > 0;
      const { token, journal } = stack.start(id, withJournal);
      return { version: stack.version + 1, token, journalVersion: journal ? 1 : 0 };
    }),
    [`GET ${stackPath}/*/*`]: onStack((stack, _, [, id = ""]) => ({ status: stack.update(id).status, events: [] })),
    [`PATCH ${stackPath}/*/*/checkpoint`]: onStack((stack, { body, token }, [, id = ""]) => {
      stack.checkpoint(stack.authorised(id, token), body.deployment as Deployment | undefined);
      return undefined;
    }),
    [`PATCH ${stackPath}/*/*/journalentries`]: onStack((stack, { body, token }, [, id = ""]) => {
      stack.append(stack.authorised(id, token), body.entries as JournalEntry[]);
      return undefined;
    }),
    [`POST ${stackPath}/*/*/events/batch`]: onStack((stack, { token }, [, id = ""]) => {
      stack.authorised(id, token);
      return undefined;
    }),
    [`POST ${stackPath}/*/*/renew_lease`]: onStack((stack, { token }, [, id = ""]) => ({
      token: stack.authorised(id, token).token,
    })),
    [`POST ${stackPath}/*/*/complete`]: onStack((stack, { body, token }, [, id = ""]) => {
      stack.end(stack.authorised(id, token).id, body.status as "succeeded" | "failed");
      return undefined;
    }),
    [`POST ${stackPath}/*/*/cancel`]: onStack((stack, _, [, id = ""]) => {
      stack.end(id, "cancelled");
      return undefined;
    }),
  };
}

/** A fixed path wins over one with `*`. */
function findRoute(routes: Record<string, Route>, call: string): [Route, path: string[]] {
  const fixed = routes[call];
  if (fixed) return [fixed, []];
  const parts = call.split("/");
  let found: { route: Route; path: string[]; wildcards: number } | undefined;
  for (const [pattern, route] of Object.entries(routes)) {
    const wanted = pattern.split("/");
    if (wanted.length !== parts.length || !wanted.every((part, index) => part === "*" || part === parts[index]))
      continue;
    const path = parts.filter((_, index) => wanted[index] === "*").map(decodeURIComponent);
    if (!found || path.length < found.wildcards) found = { route, path, wildcards: path.length };
  }
  if (!found) throw new Refusal(404, `Not Found: the stand-in does not know ${call}`);
  return [found.route, found.path];
}

function authorise({ headers }: IncomingMessage): string {
  const [scheme, token = ""] = (headers.authorization ?? "").split(" ");
  if (scheme === "update-token") return token;
  if (scheme === "token" && token === accessToken) return token;
  throw new Refusal(401, "Unauthorized: No credentials provided or are invalid.");
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw).toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
