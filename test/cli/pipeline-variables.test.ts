import { join } from "node:path";
import { type Pipeline, pipelineOf, readEvent, tokenOf } from "../../provider/src/cli/hosts/pipeline";
import { put, temporaryFolder } from "../support/files";

/** What a pipeline's variables say, as the documents of each host list them. */

const github = {
  ...{ GITHUB_ACTIONS: "true", GITHUB_API_URL: "https://api.github.com", GITHUB_SERVER_URL: "https://github.com" },
  ...{
    GITHUB_REPOSITORY: "team/voices",
    GITHUB_REF: "refs/pull/7/merge",
    GITHUB_BASE_REF: "main",
    GITHUB_SHA: "c0ffee",
  },
};
const gitlab = {
  ...{ GITLAB_CI: "true", CI_API_V4_URL: "https://gitlab.example/api/v4", CI_SERVER_URL: "https://gitlab.example" },
  ...{ CI_PROJECT_ID: "77", CI_MERGE_REQUEST_PROJECT_ID: "78", CI_PROJECT_URL: "https://gitlab.example/team/voices" },
  ...{ CI_MERGE_REQUEST_IID: "7", CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main", CI_COMMIT_SHA: "c0ffee" },
  CI_PROJECT_VISIBILITY: "internal",
};
const ofPullRequest = { number: "7", change: "c0ffee" };

test.each<[string, Record<string, string>, Partial<Pipeline>]>([
  [
    "GitHub",
    github,
    {
      ...{ ...ofPullRequest, host: "github", api: "https://api.github.com", repository: "team/voices", base: "main" },
      ...{ gitUrl: "https://github.com/team/voices.git", isPublic: undefined },
    },
  ],
  [
    "GitLab, for the merge request of a fork",
    gitlab,
    {
      ...{ ...ofPullRequest, host: "gitlab", api: "https://gitlab.example/api/v4", repository: "78", base: "main" },
      ...{ gitUrl: "https://gitlab.example/team/voices.git", isPublic: false },
    },
  ],
  ["a public project on GitLab", { ...gitlab, CI_PROJECT_VISIBILITY: "public" }, { isPublic: true }],
  [
    "CircleCI or Jenkins, with the variables of GitHub",
    { CIRCLECI: "true", GITHUB_ACTIONS: "1", GITHUB_REPOSITORY: "team/voices", GITHUB_REF: "refs/pull/9/head" },
    { api: "https://api.github.com", number: "9", gitUrl: "https://github.com/team/voices.git", base: undefined },
  ],
  [
    "a subgroup in GitLab",
    { ...gitlab, CI_MERGE_REQUEST_PROJECT_ID: "a/b/voices" },
    { gitUrl: "https://gitlab.example/a/b/voices.git" },
  ],
  [
    "a push, where variables are empty",
    { ...github, GITHUB_REF: "refs/heads/main", GITHUB_BASE_REF: "" },
    { number: undefined, base: undefined },
  ],
])("of %s", (_, env, expected) => {
  expect(pipelineOf(env, undefined)).toMatchObject(expected);
});

test.each<[string, Record<string, string>, RegExp]>([
  ["no pipeline", {}, /do not say which host the repository is on\. .* set the variables of one of them/],
  ["two hosts", { ...github, ...gitlab }, /do not say which host/],
  ["no repository", { GITHUB_ACTIONS: "true" }, /do not name a repository, as owner\/name/],
  ["a name with a path", { ...github, GITHUB_REPOSITORY: "team/../x" }, /do not name a repository/],
  ["a name with three parts", { ...github, GITHUB_REPOSITORY: "a/b/c" }, /do not name a repository/],
  ["a name with a query", { ...github, GITHUB_REPOSITORY: "team/voices?x" }, /do not name a repository/],
  ["an address that is none", { ...github, GITHUB_API_URL: "file:///x" }, /valid address of the API of github/],
])("with %s, it is an error that says what to state", (_, env, message) => {
  expect(() => pipelineOf(env, undefined)).toThrow(message);
});

test.each<["github" | "gitlab", string, string, api: string, server: string]>([
  ["github", "GITHUB_SERVER_URL", "https://ghes.example/", "https://ghes.example/api/v3", "https://ghes.example"],
  ["github", "GITHUB_API_URL", "https://ghes.example/api/v3/", "https://ghes.example/api/v3", "https://ghes.example"],
  ["github", "GITHUB_SERVER_URL", "https://acme.ghe.com", "https://api.acme.ghe.com", "https://acme.ghe.com"],
  ["github", "GITHUB_API_URL", "https://api.acme.ghe.com", "https://api.acme.ghe.com", "https://acme.ghe.com"],
  ["github", "GITHUB_SERVER_URL", "https://github.com", "https://api.github.com", "https://github.com"],
  ["github", "GITHUB_API_URL", "https://api.github.com", "https://api.github.com", "https://github.com"],
  ["gitlab", "CI_SERVER_URL", "https://gitlab.example", "https://gitlab.example/api/v4", "https://gitlab.example"],
  [
    "gitlab",
    "CI_API_V4_URL",
    "https://gitlab.example/api/v4",
    "https://gitlab.example/api/v4",
    "https://gitlab.example",
  ],
])(
  "on %s, a pipeline that states only %s=%s sends its token to that server alone",
  (host, name, value, api, server) => {
    const here = { github: { GITHUB_ACTIONS: "true" }, gitlab: { GITLAB_CI: "true" } }[host];
    const repository = { GITHUB_REPOSITORY: "team/voices", CI_PROJECT_ID: "team/voices" };
    const pipeline = pipelineOf({ ...here, ...repository, [name]: value }, undefined);
    expect(pipeline).toMatchObject({ api, server, gitUrl: `${server}/team/voices.git` });
  },
);

test("the pull request of an event is that of its payload", () => {
  const event = { pull_request: { number: 7 }, repository: { visibility: "private" } };
  const GITHUB_EVENT_PATH = put(temporaryFolder(), "event.json", JSON.stringify(event));
  const read = readEvent({ GITHUB_EVENT_PATH });
  const { number } = pipelineOf({ ...github, GITHUB_REF: "refs/heads/main" }, read);
  expect(number).toBe("7");
});

test.each([
  [{ visibility: "private", private: true }, false],
  [{ visibility: "internal", private: true }, false],
  [{ visibility: "public", private: false }, true],
  [{ visibility: "unheard of", private: true }, true],
  [{ private: true }, false],
  [{ private: false }, true],
  [{}, undefined],
])("the repository of an event with %j is public: %j", (repository, isPublic) => {
  expect(pipelineOf(github, { repository }).isPublic).toBe(isPublic);
});

test("an event that can't be read is an error, and its text is not shown", () => {
  const folder = temporaryFolder();
  expect(readEvent({})).toBeUndefined();
  for (const text of ["s3cret", '{"pull_request":{"number":"s3cret"}}']) {
    const reading = () => readEvent({ GITHUB_EVENT_PATH: put(folder, "event.json", text) });
    expect(reading).toThrow(/GITHUB_EVENT_PATH cannot be read/);
    expect(reading).not.toThrow(/s3cret/);
  }
  expect(() => readEvent({ GITHUB_EVENT_PATH: join(folder, "missing.json") })).toThrow(/cannot be read/);
});

test("the first token that is set is the one", () => {
  const names = ["GITHUB_TOKEN", "GH_TOKEN"];
  expect(tokenOf({ GITHUB_TOKEN: " ", GH_TOKEN: " b\n" }, names)).toEqual({ name: "GH_TOKEN", token: "b" });
  expect(() => tokenOf({ GITHUB_TOKEN: "" }, names)).toThrow("Set GITHUB_TOKEN or GH_TOKEN");
});
