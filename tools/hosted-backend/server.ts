import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { type Deployment, HostedStack, Refusal } from "./stacks";

/*
 * A stand-in for Pulumi's hosted backend, in memory and for tests only: organisations, leases, the service's secrets and
 * checkpoints. The calls and their forms are those of `backend/httpstate` in pkg/v3 and of `apitype` in sdk/v3, version
 * 3.259. It offers no journal, so the engine sends checkpoints: how it merges a journal is not this package's.
 */

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

/** The first one is the user, and the default. */
const organizations = ["acme", "beta"] as const;
const accessToken = "pul-0123456789";

export async function startHostedBackend(): Promise<HostedBackend> {
  const stacks: HostedStack[] = [];
  const calls: string[] = [];
  const routes = routesOf(stacks);
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
    const found = stacks.find(({ fullName }) => fullName === wanted);
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
    "GET /api/user/organizations/default": () => ({ GitHubLogin: user, messages: [] }),
    "GET /api/capabilities": () => ({ capabilities: [{ capability: "batch-encrypt" }] }),
    "GET /api/user/stacks": (_, { query }) => ({
      stacks: stacks
        .filter(({ organization }) => [organization, null].includes(query.get("organization")))
        .filter(({ project }) => [project, null].includes(query.get("project")))
        .map(({ id, organization, project, name, deployment }) => ({
          ...{ id, orgName: organization, projectName: project, stackName: name },
          resourceCount: deployment?.resources?.length ?? 0,
        })),
    }),

    "POST /api/stacks/*/*": ([organization = "", project = ""], { body }) => {
      const { stackName } = body as { stackName: string };
      if (!organizations.some((each) => each === organization))
        throw new Refusal(404, "Not Found: Organization not found");
      if (stacks.some((each) => isIn(organization, project)(each) && each.name === stackName))
        throw new Refusal(409, `Conflict: Stack '${stackName}' already exists.`);
      stacks.push(new HostedStack(organization, project, stackName));
      return {};
    },

    [`GET ${stackPath}`]: onStack(({ id, organization, project, name, running, version }) => ({
      ...{ id, orgName: organization, projectName: project, stackName: name, tags: {}, version },
      activeUpdate: running?.id ?? "",
    })),
    [`GET ${stackPath}/export`]: onStack(({ deployment }) => ({ version: 3, deployment: deployment ?? null })),
    [`POST ${stackPath}/import`]: onStack((stack, { body }) => ({
      updateId: stack.import((body as { deployment: Deployment }).deployment),
    })),

    [`POST ${stackPath}/encrypt`]: onStack((stack, { body }) => ({
      ciphertext: stack.encrypt(body.plaintext as string),
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
        onStack((stack) => ({ updateID: stack.createUpdate(kind).id })),
      ]),
    ),
    [`POST ${stackPath}/*/*`]: onStack((stack, _, [, id = ""]) => {
      const { token } = stack.start(id);
      return { version: stack.version + 1, token, journalVersion: 0 };
    }),
    [`GET ${stackPath}/*/*`]: onStack((stack, _, [, id = ""]) => ({ status: stack.update(id).status, events: [] })),
    [`PATCH ${stackPath}/*/*/checkpoint`]: onStack((stack, { body, token }, [, id = ""]) => {
      stack.checkpoint(stack.authorised(id, token), body.deployment as Deployment | undefined);
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
