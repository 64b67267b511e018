import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { sha256Of } from "../../provider/src/files";
import { getGoTool } from "../../tools/go-tools";
import { cloudvoice } from "../support/cloudvoice";
import { put, recordings, temporaryFolder } from "../support/files";
import { leadingElsewhere } from "../support/leading-elsewhere";
import { repositoryWithChange } from "../support/repository-with-change";

/** The commands of a pipeline one after the other: the old recordings, with the real Git LFS, and the page with both. */

const token = "t0ken-of-the-job";
const type = "pulumi-nodejs:dynamic/cloudvoice:CloudVoice";
const read = (file: string) => readFileSync(file);

/** The working copy of a change that overwrites a recording in Git and one in LFS, and a preview of its program. */
async function pullRequest(visibility: string, ledElsewhere?: string) {
  const [plainBefore, lfsBefore] = [read(recordings.wav), read(recordings.m4a)];
  const [plainAfter, lfsAfter] = [read(recordings.mp3), read(recordings.otherMp3)];
  const { server, variables } = await repositoryWithChange(
    token,
    ({ store }) =>
      (author) => {
        put(author, ".gitattributes", "large.wav filter=lfs -text\n");
        put(author, "plain.wav", plainBefore);
        put(author, "large.wav", store(lfsBefore));
      },
    ({ store, origin }) =>
      (author) => {
        put(author, "plain.wav", plainAfter);
        put(author, "large.wav", store(lfsAfter));
        put(author, ".lfsconfig", `[lfs]\n\turl = ${origin}/stolen\n`);
      },
  );
  const isLed = (path: string) => ledElsewhere !== undefined && path.endsWith(ledElsewhere);
  const { origin, seenElsewhere } = await leadingElsewhere(server.origin, token, isLed);
  const folder = temporaryFolder();
  put(folder, "Pulumi.yaml", "name: program\nruntime: nodejs\n");
  put(folder, "plain.wav", plainAfter);
  put(folder, "large.wav", lfsAfter);
  const step = (audio: string, before: Buffer, after: Buffer) => {
    const inputs = (content: Buffer) => ({ targetModel: "m", audio, audioSha256: sha256Of(content) });
    const urn = `urn:pulumi:dev::program::${type}::${audio.split(".")[0]}`;
    const [oldState, newState] = [
      { type, id: "v", inputs: inputs(before) },
      { type, inputs: inputs(after) },
    ];
    return { op: "replace", urn, oldState, newState, replaceReasons: ["audioSha256"] };
  };
  const steps = [step("plain.wav", plainBefore, plainAfter), step("large.wav", lfsBefore, lfsAfter)];
  put(folder, "preview.json", JSON.stringify({ steps, changeSummary: { replace: 2 } }));
  const commands = temporaryFolder();
  chmodSync(put(commands, "git-lfs", `#!/bin/sh\nexec "${getGoTool("git-lfs")}" "$@"\n`), 0o755);
  const env = {
    ...variables,
    GITHUB_SERVER_URL: origin,
    PATH: [commands, process.env.PATH].join(delimiter),
    GITHUB_EVENT_PATH: put(temporaryFolder(), "event.json", JSON.stringify({ repository: { visibility } })),
  };
  const to = join(temporaryFolder(), "recordings");
  const run = (...args: string[]) => cloudvoice({ folder, env }, args);
  const fetched = await run("recordings", "--to", to);
  const asked = server.requests.length;
  const args = ["preview.json", "--recordings", to, "--save", "review.html", "--save", "review.md"];
  const reviewed = await run("review", ...args);
  expect(server.requests).toHaveLength(asked);
  const [page, comment] = ["review.html", "review.md"].map((name) => readFileSync(join(folder, name), "utf8"));
  return {
    server,
    seenElsewhere,
    to,
    fetched,
    reviewed,
    page,
    comment,
    before: [plainBefore, lfsBefore].map(sha256Of).sort(),
  };
}

test("the page of a private repository has both recordings of an overwritten file, of Git and of LFS", async () => {
  const { server, to, fetched, page, comment, before } = await pullRequest("private");
  expect(fetched).toMatchObject({ code: 0, stdout: "", stderr: "2 old recordings fetched.\n" });
  expect(readdirSync(to).sort()).toEqual(before);
  expect(server.requests.join("\n")).not.toMatch(/stolen|the store got the token/);
  expect(page?.match(/href="data:audio/g)).toHaveLength(4);
  expect(page).not.toMatch(/(href|src)="(?!data:)[^"#]/);
  expect(comment).toContain("**Changed recordings.** The page of this review plays the old and the new recording.");
});

test("a server that leads Git LFS elsewhere does not get the token there", async () => {
  const { fetched, seenElsewhere } = await pullRequest("private", "/info/lfs/objects/batch");
  expect(fetched).toMatchObject({ code: 0, stderr: "2 old recordings fetched.\n" });
  // Git LFS may ask more than once.
  const [first, ...others] = seenElsewhere();
  expect(first).toEqual(["/team/voices.git/info/lfs/objects/batch", undefined]);
  for (const other of others) expect(other).toEqual(first);
});

test("the page of a public repository has none, and says so", async () => {
  const { server, to, fetched, page, comment } = await pullRequest("public");
  expect(fetched.code).toBe(0);
  expect([existsSync(to), server.requests]).toEqual([false, []]);
  expect(page).not.toMatch(/data:audio|(href|src)="/);
  expect(comment).toContain("The page must not contain people's voices");
});
