import { assertNewest } from "../../actions/src/tip";
import { serve } from "../support/serve";

const [old, newest] = ["a".repeat(40), "b".repeat(40)];
const run = { repository: "team/voices", ref: "refs/heads/release/1 %", sha: old, token: "t0ken" };
const at = (sha: unknown) => JSON.stringify({ ref: run.ref, object: { type: "commit", sha } });

test("the newest commit of the branch is updated, and its address and the token are those of the job", async () => {
  const { url, requests } = await serve((_, response) => response.end(at(old)));
  await assertNewest({ ...run, api: url });
  expect(requests[0]?.url).toBe("/repos/team/voices/git/ref/heads/release/1%20%25");
  expect(requests[0]?.headers.authorization).toBe("Bearer t0ken");
});

test.each<[what: string, status: number, body: string, why: RegExp]>([
  ["a newer commit", 200, at(newest), /^This run is of the commit a{40}, .* is at b{40}\..*`older: true`/],
  ["a token that may not read", 403, "{}", /^Nothing is updated: .* is unknown\. \S+ responded with HTTP 403\./],
  ["a branch that is deleted", 404, "{}", /is unknown\. \S+ responded with HTTP 404\./],
  ["a redirect", 302, "", /is unknown\. \S+ can't be reached/],
  ["a page of a proxy", 200, "<html>", /is unknown\. \S+ did not respond with a commit/],
  ["no commit", 200, at("::error::x"), /is unknown\. \S+ did not respond with a commit/],
  ["a list", 200, "[]", /is unknown\. \S+ did not respond with a commit/],
])("%s: nothing is updated", async (_, status, body, why) => {
  const { url } = await serve((__, response) => response.writeHead(status, { location: "/elsewhere" }).end(body));
  await expect(assertNewest({ ...run, api: url })).rejects.toThrow(why);
});

test("a server that is not there: nothing is updated", async () => {
  const api = "http://127.0.0.1:9";
  await expect(assertNewest({ ...run, api })).rejects.toThrow(/is unknown\. http:\/\/127\.0\.0\.1:9 can't be reached/);
});
