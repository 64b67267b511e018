import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { put, temporaryFolder } from "./files";
import { gitServer } from "./git-server";

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
