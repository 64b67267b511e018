import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sha256Of } from "../../provider/src/files";
import { put, temporaryFolder } from "./files";

/** A server of one private repository with Git LFS, as GitHub and GitLab have them: it refuses whoever has no token. */
async function gitServer(folder: string, token: string) {
  const lfs = new Map<string, Buffer>();
  // A test may change it for the commands under test.
  const { PATH } = process.env;
  const requests: string[] = [];
  /** Whatever the name of the user, as both services have it. */
  const hasToken = ({ authorization = "" }: IncomingMessage["headers"]) =>
    Buffer.from(authorization.replace("Basic ", ""), "base64").toString().endsWith(`:${token}`);
  const server = createServer((request, response) => {
    const url = request.url ?? "";
    requests.push(`${request.method ?? ""} ${url}`);
    // The store of files has a place of its own, to which the token is not sent.
    if (url.startsWith("/store/")) {
      if (request.headers.authorization !== undefined) requests.push("the store got the token");
      return void response.end(lfs.get(url.slice("/store/".length)));
    }
    if (!hasToken(request.headers)) return void response.writeHead(401).end();
    if (url.endsWith("/info/lfs/objects/batch")) return answerBatch(request, response);
    backend(request, response);
  });

  function answerBatch(request: IncomingMessage, response: ServerResponse): void {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      const asked = JSON.parse(body) as { objects: { oid: string; size: number }[] };
      const objects = asked.objects.map((object) => ({
        ...object,
        ...(lfs.has(object.oid)
          ? { authenticated: true, actions: { download: { href: `${origin()}/store/${object.oid}` } } }
          : { error: { code: 404, message: "not here" } }),
      }));
      response.setHeader("content-type", "application/vnd.git-lfs+json");
      response.end(JSON.stringify({ transfer: "basic", objects }));
    });
  }

  function backend(request: IncomingMessage, response: ServerResponse): void {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const child = spawn("git", ["http-backend"], {
      env: {
        ...{ PATH, GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: "1", PATH_INFO: path },
        ...{
          QUERY_STRING: query,
          REQUEST_METHOD: request.method,
          GIT_PROTOCOL: request.headers["git-protocol"] as string,
        },
        ...{
          CONTENT_TYPE: request.headers["content-type"],
          HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
        },
      },
    });
    request.pipe(child.stdin);
    const parts: Buffer[] = [];
    child.stdout.on("data", (data: Buffer) => parts.push(data));
    child.once("close", () => {
      const output = Buffer.concat(parts);
      const end = output.indexOf("\r\n\r\n");
      const headers = output.toString("latin1", 0, end).split("\r\n");
      for (const header of headers) {
        const [name = "", value = ""] = header.split(": ");
        if (name === "Status") response.statusCode = parseInt(value);
        else response.setHeader(name, value);
      }
      response.end(output.subarray(end + 4));
    });
  }

  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  /** Keeps a file in LFS. Returns the pointer that stands in its place. */
  function store(content: Buffer): string {
    const oid = sha256Of(content);
    lfs.set(oid, content);
    return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
  }
  return { origin: origin(), requests, store, close: () => server.close() };
}

type Edit = (server: Awaited<ReturnType<typeof gitServer>>) => (author: string) => void;

/**
 * A server with a private repository whose branch `change` differs from `main` as these functions write the working
 * copy, and the variables of the pull request's pipeline on GitHub.
 */
export async function repositoryWithChange(token: string, before: Edit, after: Edit) {
  const folder = temporaryFolder();
  const server = await gitServer(folder, token);
  const [bare, author] = [join(folder, "team", "voices.git"), temporaryFolder()];
  const git = (cwd: string, ...args: string[]) => {
    const settings = ["user.name=a", "user.email=a@b.c", "filter.lfs.required=false", "core.symlinks=true"];
    return execFileSync("git", [...settings.flatMap((each) => ["-c", each]), ...args], { cwd, stdio: "pipe" })
      .toString()
      .trim();
  };
  mkdirSync(bare, { recursive: true });
  git(bare, "init", "--quiet", "--bare");
  for (const setting of ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"])
    git(bare, "config", setting, "true");
  git(author, "init", "--quiet", "--initial-branch=main");
  const commit = (branch: string) => {
    git(author, "add", "--all");
    git(author, "commit", "--quiet", "--allow-empty", "-m", branch);
    git(author, "push", "--quiet", bare, `HEAD:${branch}`);
  };
  before(server)(author);
  commit("main");
  after(server)(author);
  commit("change");
  const variables = {
    ...{ GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: server.origin, GITHUB_REPOSITORY: "team/voices" },
    ...{ GITHUB_BASE_REF: "main", GITHUB_SHA: git(author, "rev-parse", "HEAD"), GITHUB_TOKEN: token },
    GITHUB_EVENT_PATH: put(temporaryFolder(), "event.json", '{"repository":{"visibility":"private"}}'),
  };
  return { server, variables, author, bare, git };
}
