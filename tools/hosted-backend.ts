import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";
import express, { type NextFunction, type Request, type Response } from "express";

/*
 * A stand-in for Pulumi's hosted backend, in memory and for tests only: organisations, leases, the service's secrets and
 * checkpoints. The calls and their forms are those of `backend/httpstate` in pkg/v3 and of `apitype` in sdk/v3, version
 * 3.259. It offers no journal, so the engine sends checkpoints: how it merges a journal is not this package's.
 */

export interface HostedBackend {
  /** The environment of a command line that is logged in. */
  env: { PULUMI_BACKEND_URL: string; PULUMI_ACCESS_TOKEN: string };
  /** The state of a stack by its full name, `organization/project/name`. */
  deployment(fullName: string): Deployment | undefined;
  /** The calls so far, as `POST /api/stacks/acme/voices/dev/update`. */
  calls: readonly string[];
  close(): Promise<void>;
}

/** A deployment, as far as the tests read it. The rest is passed on as it came. */
interface Deployment extends Record<string, unknown> {
  resources?: { urn: string }[];
  pending_operations?: unknown[];
}

interface Update {
  id: string;
  /** Authorises the calls of this update. */
  token: string;
  isPreview: boolean;
  status: "not started" | "running" | "succeeded" | "failed" | "cancelled";
}

interface Stack {
  id: string;
  organization: string;
  project: string;
  name: string;
  version: number;
  /** The state as the last call of an update left it. */
  deployment?: Deployment | undefined;
  updates: Update[];
}

/** An error of the service, in the form of `apitype.ErrorResponse`. */
class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The first one is the user, and the default. */
const organizations = ["acme", "beta"];
const accessToken = "pul-0123456789";

const fullNameOf = ({ organization, project, name }: Stack) => `${organization}/${project}/${name}`;
const runningIn = ({ updates }: Stack) => updates.find(({ status, isPreview }) => status === "running" && !isPreview);

function assertNothingRuns(stack: Stack): void {
  if (runningIn(stack)) throw new Refusal(409, "Conflict: Another update is currently in progress.");
}

export async function startHostedBackend(): Promise<HostedBackend> {
  const stacks: Stack[] = [];
  const calls: string[] = [];
  const app = express();
  app.use(({ method, path, headers: { authorization = "" } }, _, next) => {
    calls.push(`${method} ${path}`);
    if (authorization !== `token ${accessToken}` && !authorization.startsWith("update-token "))
      throw new Refusal(401, "Unauthorized: No credentials provided or are invalid.");
    next();
  });
  app.use(express.json({ limit: "50mb", type: () => true }));
  addRoutes(app, stacks);
  app.use((error: Error, _: Request, reply: Response, _next: NextFunction) => {
    const code = error instanceof Refusal ? error.code : 500;
    reply.status(code).json({ code, message: error.message });
  });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    calls,
    env: { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: accessToken },
    deployment: (wanted) => stacks.find((stack) => fullNameOf(stack) === wanted)?.deployment,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

type Parameters = Record<"organization" | "project" | "name" | "id", string>;

function addRoutes(app: express.Express, stacks: Stack[]): void {
  const [user] = organizations;
  app.get("/api/user", (_, reply) => {
    const all = organizations.map((name) => ({ name, githubLogin: name }));
    reply.json({ id: "1", name: user, githubLogin: user, organizations: all });
  });
  app.get("/api/user/organizations/default", (_, reply) => void reply.json({ GitHubLogin: user, messages: [] }));
  app.get("/api/capabilities", (_, reply) => void reply.json({ capabilities: [{ capability: "batch-encrypt" }] }));
  app.get("/api/user/stacks", ({ query }, reply) => {
    const found = stacks
      .filter(({ organization }) => [organization, undefined].includes(query.organization as string | undefined))
      .filter(({ project }) => [project, undefined].includes(query.project as string | undefined));
    reply.json({
      stacks: found.map(({ id, organization, project, name, deployment }) => ({
        ...{ id, orgName: organization, projectName: project, stackName: name },
        resourceCount: deployment?.resources?.length ?? 0,
      })),
    });
  });
  app.post("/api/stacks/:organization/:project", ({ params: { organization, project }, body }, reply) => {
    const { stackName: name } = body as { stackName: string };
    if (!organizations.includes(organization)) throw new Refusal(404, "Not Found: Organization not found");
    const stack: Stack = { id: randomUUID(), organization, project, name, version: 0, updates: [] };
    if (stacks.some((each) => fullNameOf(each) === fullNameOf(stack)))
      throw new Refusal(409, `Conflict: Stack '${name}' already exists.`);
    stacks.push(stack);
    reply.json({});
  });

  /** Adds a call about a stack. */
  const on = (
    method: "get" | "post" | "patch",
    path: string,
    work: (stack: Stack, request: Request<Parameters>) => object | undefined,
  ) =>
    app[method](`/api/stacks/:organization/:project/:name${path}`, (request: Request<Parameters>, reply) => {
      const { organization, project, name } = request.params;
      const stack = stacks.find((each) => fullNameOf(each) === `${organization}/${project}/${name}`);
      if (!stack) throw new Refusal(404, "Not Found: Stack not found");
      reply.json(work(stack, request) ?? {});
    });
  on("get", "", (stack) => ({
    ...{ id: stack.id, orgName: stack.organization, projectName: stack.project, stackName: stack.name, tags: {} },
    ...{ version: stack.version, activeUpdate: runningIn(stack)?.id ?? "" },
  }));
  on("get", "/export", ({ deployment }) => ({ version: 3, deployment: deployment ?? null }));
  on("post", "/import", (stack, { body }) => {
    assertNothingRuns(stack);
    stack.deployment = (body as { deployment: Deployment }).deployment;
    stack.version++;
    return { updateId: addUpdate(stack, "succeeded").id };
  });

  // The service's secrets, which another stack can't read. Both texts are base64.
  const encrypt = ({ id }: Stack, plaintext: string) => Buffer.from(`${id} ${plaintext}`).toString("base64");
  const decrypt = ({ id }: Stack, ciphertext: string) => {
    const [by, plaintext = ""] = Buffer.from(ciphertext, "base64").toString().split(" ");
    if (by !== id) throw new Refusal(400, "Bad Request: The text was not encrypted by this stack.");
    return plaintext;
  };
  on("post", "/encrypt", (stack, { body }) => ({
    ciphertext: encrypt(stack, (body as { plaintext: string }).plaintext),
  }));
  on("post", "/batch-encrypt", (stack, { body }) => ({
    ciphertexts: (body as { plaintexts: string[] }).plaintexts.map((text) => encrypt(stack, text)),
  }));
  on("post", "/batch-decrypt", (stack, { body }) => ({
    plaintexts: Object.fromEntries(
      (body as { ciphertexts: string[] }).ciphertexts.map((text) => [text, decrypt(stack, text)]),
    ),
  }));

  for (const kind of ["update", "preview", "refresh", "destroy"]) {
    on("post", `/${kind}`, (stack) => ({ updateID: addUpdate(stack, "not started", kind === "preview").id }));
    // The lease of the stack, which a preview needs not.
    on("post", `/${kind}/:id`, (stack, { params }) => {
      const update = updateOf(stack, params.id);
      if (!update.isPreview) assertNothingRuns(stack);
      update.status = "running";
      return { version: stack.version + 1, token: update.token, journalVersion: 0 };
    });
    on("get", `/${kind}/:id`, (stack, { params }) => ({ status: updateOf(stack, params.id).status, events: [] }));
    on("patch", `/${kind}/:id/checkpoint`, (stack, request) => {
      const { isPreview } = authorised(stack, request);
      if (!isPreview) stack.deployment = (request.body as { deployment?: Deployment }).deployment;
      return undefined;
    });
    on("post", `/${kind}/:id/events/batch`, (stack, request) => void authorised(stack, request));
    on("post", `/${kind}/:id/renew_lease`, (stack, request) => ({ token: authorised(stack, request).token }));
    on("post", `/${kind}/:id/complete`, (stack, request) =>
      end(stack, authorised(stack, request), (request.body as Pick<Update, "status">).status),
    );
    on("post", `/${kind}/:id/cancel`, (stack, { params }) => end(stack, updateOf(stack, params.id), "cancelled"));
  }
}

function addUpdate({ updates }: Stack, status: Update["status"], isPreview = false): Update {
  const update: Update = { id: randomUUID(), token: randomUUID(), isPreview, status };
  updates.push(update);
  return update;
}

function updateOf({ updates }: Stack, id: string): Update {
  const update = updates.find((each) => each.id === id);
  if (!update) throw new Refusal(404, "Not Found: Update not found");
  return update;
}

/** The update, if it runs and the token is its own. */
function authorised(stack: Stack, { params, headers }: Request<Parameters>): Update {
  const update = updateOf(stack, params.id);
  if (update.status !== "running") throw new Refusal(409, `The update is not running; it is ${update.status}.`);
  if (headers.authorization !== `update-token ${update.token}`)
    throw new Refusal(401, "The lease token is not that of the update.");
  return update;
}

/** Ends an update and its lease. What it has saved stays. */
function end(stack: Stack, update: Update, status: Update["status"]): undefined {
  if (update.status !== "running") return;
  update.status = status;
  if (!update.isPreview) stack.version++;
}
