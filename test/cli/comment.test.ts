import type { IncomingMessage, ServerResponse } from "node:http";
import { hosts } from "../../provider/src/cli/hosts/pipeline";
import { markOf } from "../../provider/src/cli/review/markdown";
import { put, temporaryFolder } from "../support/files";
import { self, startHost, token } from "../support/review-hosts";
import { serve } from "../support/serve";
import { inPipeline, run } from "./command";

/** The comment on a pull request, from the saved review to what the host has. */

const reviewOf = (project: string, stack: string, ...lines: string[]) =>
  [markOf({ project, stack }), `### Review of \`${project}/${stack}\``, "", "**1 to create**", ...lines].join("\n");

const saved = (text: string) => put(temporaryFolder(), "review.md", text);

afterEach(() => jest.restoreAllMocks());

/** Runs the command in a pipeline that has these variables. Returns what it prints. */
async function comment(variables: Record<string, string>, ...args: string[]) {
  inPipeline(variables);
  return run("comment", ...args);
}

/** Posts a review of the stack `app/dev` with this last line. */
const post = (variables: Record<string, string>, line = "first", ...args: string[]) =>
  comment(variables, "--review", saved(reviewOf("app", "dev", line)), ...args);

const bodies = (host: { notes: { author: string; body: string }[] }) =>
  host.notes.filter(({ author }) => author === self).map(({ body }) => body);

describe.each(hosts)("on %s", (name) => {
  test("the first review is a comment, and the next one takes its place", async () => {
    const { host, variables } = await startHost(name);
    const page = "https://pages.example/review.html";
    const first = await post(variables, "first", "--page", page);
    expect(first.out).toMatch(/^The review of app\/dev is posted on .*#7\.$/);
    expect((await post(variables, "second", "--page", page)).out).toMatch(/is updated on/);
    const [body = "", ...others] = bodies(host);
    expect(others).toEqual([]);
    expect(body).toMatch(/cloudvoice-review app\/dev/);
    expect(body.split("\n").slice(1)).toEqual([
      ...["### Review of `app/dev`", "", `[The page of this review](${page})`, "", "**1 to create**", "second"],
    ]);
    await post(variables, "third", "--behavior", "new");
    expect(bodies(host)).toHaveLength(2);
    // The newest is the one that is updated.
    await post(variables, "fourth");
    expect(bodies(host).map((text) => text.split("\n").at(-1))).toEqual(["second", "fourth"]);
  });

  test("it is found behind 250 notes of others, and with FORCE_COLOR", async () => {
    const { host, variables } = await startHost(name);
    host.add(250);
    await post({ ...variables, FORCE_COLOR: "3" }, "first");
    host.add(150);
    await post({ ...variables, FORCE_COLOR: "3" }, "second");
    expect(bodies(host).map((body) => body.split("\n").at(-1))).toEqual(["second"]);
    expect(host.notes).toHaveLength(401);
  });

  test("two projects with equal stack names, and two stacks of a project, have a comment each", async () => {
    const { host, variables } = await startHost(name);
    for (const text of ["first", "second"])
      for (const full of ["app/dev", "web/dev", "app/prod"]) {
        const [project = "", stack = ""] = full.split("/");
        const review = saved(reviewOf(project, stack, text));
        await comment(variables, "--review", review, "--project", project, "--stack", stack);
      }
    expect(bodies(host).map((body) => body.split("\n").at(-1))).toEqual(["second", "second", "second"]);
  });

  test("a comment of somebody else with the same mark stays, and so does a mark inside of a text", async () => {
    const { host, variables } = await startHost(name);
    await post(variables, "first");
    const [mark = ""] = (bodies(host)[0] ?? "").split("\n");
    host.notes = [];
    host.add(1, { body: `${mark}\nApproved.` });
    host.add(1, { author: self, body: `See the review:\n${mark}` });
    host.add(1, { author: self, body: `${mark}\ndeleted`, isNoText: true });
    // GitHub shows no deleted comment at all.
    if (name === "github") host.notes.pop();
    const before = host.notes.map(({ body }) => body);
    await post(variables, "first");
    expect(host.notes.slice(0, before.length).map(({ body }) => body)).toEqual(before);
    expect(host.notes).toHaveLength(before.length + 1);
  });

  test("a refusal is an error that names what to do, and nobody's token", async () => {
    const { host, variables } = await startHost(name);
    const review = saved(reviewOf("app", "dev"));
    const wrong = Object.fromEntries(
      Object.entries(variables).map(([key, value]) => [key, value.replace(token, "wr0ng-t0ken")]),
    );
    const refused = comment(wrong, "--review", review);
    await expect(refused).rejects.toThrow(/refused the request: .*The token in \w+ is not valid for this host/);
    await expect(refused).rejects.not.toThrow(/wr0ng-t0ken/);
    const elsewhere = comment(
      { ...variables, GITHUB_REF: "refs/pull/8/merge", CI_MERGE_REQUEST_IID: "8" },
      "--review",
      review,
    );
    await expect(elsewhere).rejects.toThrow(
      /\(HTTP 404\).*The pull request does not exist, or the token has no access to it/,
    );
    expect(host.notes).toEqual([]);
  });
});

test("without a token, nothing is asked", async () => {
  const { host, variables } = await startHost("gitlab");
  const { GITLAB_TOKEN: _, ...without } = variables;
  const refused = post({ ...without, CI_JOB_TOKEN: "may not write" });
  await expect(refused).rejects.toThrow(/There is no token for the host\. Set GITLAB_TOKEN/);
  expect(host.requests).toEqual([]);
});

test.each(hosts)("%s can't send the token to another server", async (name) => {
  const { host, variables } = await startHost(name);
  const thief = await serve((_, response) => response.end("[]"));
  host.add(101);
  host.nextPage = `${thief.url}/notes?page=2`;
  await expect(post(variables)).rejects.toThrow(/named a next page on another server/);
  expect(thief.requests).toEqual([]);
  expect(bodies(host)).toEqual([]);
});

/** Answers what is asked before a comment is written, and writes none. */
const nothingThere = ({ url }: IncomingMessage, response: ServerResponse) =>
  response.end(url?.endsWith("/user") ? '{"id":11}' : "[]");

test.each<[string, string | RegExp, written: number, answer: typeof nothingThere]>([
  [
    "a failure of a gateway",
    /refused the request: .*\(HTTP 502\)\. Run the job again\.$/,
    1,
    (request, response) =>
      request.method === "POST" ? response.writeHead(502).end("<html>") : nothingThere(request, response),
  ],
  [
    "a lost response",
    /Run the job again\. If the comment was written after all, the next run updates it\.$/,
    1,
    (request, response) => (request.method === "POST" ? response.destroy() : nothingThere(request, response)),
  ],
  [
    "too many requests",
    "gitlab refused the request: Retry later (HTTP 429). The host received too many requests. Run the job again later.",
    0,
    (_, response) => response.writeHead(429).end('{"message":"Retry later"}'),
  ],
  [
    "a response that is not understood",
    /the host's response was not understood: all of it/,
    0,
    (_, response) => response.end(JSON.stringify({ id: 1, notes: [] })),
  ],
])("after %s, the error says what to do, and nothing is written a second time", async (_, message, written, answer) => {
  const { url, requests } = await serve(answer);
  const { variables } = await startHost("gitlab");
  await expect(post({ ...variables, CI_API_V4_URL: `${url}/api/v4` })).rejects.toThrow(message);
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(written);
});

test("a server that is not there says what to do", async () => {
  const { variables } = await startHost("gitlab");
  await expect(post({ ...variables, CI_API_V4_URL: "http://127.0.0.1:9/api/v4" })).rejects.toThrow(
    /could not be reached.*Check the addresses in the pipeline's variables\.$/,
  );
});

describe("the link to the page", () => {
  const linkIn = (host: { notes: { body: string }[] }) =>
    /\[The page of this review\]\((.*)\)/.exec(host.notes[0]?.body ?? "")?.[1];
  const artifact = (id: number, hour: number, name = "review-app@dev.html") => ({
    ...{ id, name, created_at: new Date(Date.UTC(2026, 0, 1, hour)).toISOString() },
  });

  test.each<[string, { id: number; name: string; created_at: string; expired?: boolean }[], string]>([
    ["of a run without a page", [], "#artifacts"],
    ["of the first attempt", [artifact(4, 0)], "/artifacts/4"],
    ["of the second attempt, whatever their order", [artifact(9, 2), artifact(4, 0)], "/artifacts/9"],
    ["beside those of another project", [artifact(4, 0), artifact(5, 3, "review-web@dev.html")], "/artifacts/4"],
    ["that has expired", [{ ...artifact(4, 0), expired: true }], "#artifacts"],
  ])("on GitHub is the one %s", async (_, artifacts, expected) => {
    const { host, variables } = await startHost("github");
    host.artifacts = artifacts;
    await post(variables);
    expect(linkIn(host)).toBe(`https://ghes.example/team/voices/actions/runs/5${expected}`);
  });

  test("on GitHub is found among 250 attempts", async () => {
    const { host, variables } = await startHost("github");
    host.artifacts = Array.from({ length: 250 }, (_, id) => artifact(id, id));
    await post(variables);
    expect(linkIn(host)).toMatch(/\/artifacts\/249$/);
  });

  test("on GitLab is that of the newest job of this name", async () => {
    const { host, variables } = await startHost("gitlab");
    host.jobs = [
      { id: 31, name: "review" },
      ...Array.from({ length: 120 }, (_, id) => ({ id: 40 + id, name: `test ${id}` })),
      { id: 200, name: "review" },
    ];
    const at = ["--page-artifact", "review/.cloudvoice-review/my page.html"];
    await post(variables, "first", ...at);
    expect(linkIn(host)).toBe(
      "https://gitlab.example/team/voices/-/jobs/200/artifacts/file/.cloudvoice-review/my%20page.html",
    );
  });

  test.each<[what: string, project: string, artifact: string, warning: RegExp]>([
    ["whose job is not there", "77", "reviews/review.html", /^The comment does not link .*the job reviews/],
    ["whose form is wrong", "77", "review.html", /^The comment does not link .*must be <job>\/<path/],
    // Without the fact which project has the pipeline, e.g. behind a token that may not read jobs.
    [
      "in a project whose jobs nobody sees",
      "78",
      "review/review.html",
      /nothing at \/api\/v4\/projects\/78\/pipelines/,
    ],
  ])("on GitLab costs no comment if it is one %s", async (_, project, artifact, warning) => {
    const { host, variables } = await startHost("gitlab");
    const env = { ...variables, CI_PROJECT_ID: project, CI_MERGE_REQUEST_PROJECT_ID: "77" };
    const { beside } = await post(env, "first", "--page-artifact", artifact);
    expect(beside).toEqual([expect.stringMatching(warning)]);
    expect(beside.join()).not.toContain("no such pull request");
    expect(bodies(host)).toHaveLength(1);
    expect(linkIn(host)).toBeUndefined();
  });
});
