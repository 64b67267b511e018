import type { Props } from "../../provider/src/pulumi/provider/lifecycle";
import { ignoresEverything, withRecording } from "../../provider/src/pulumi/provider/ignored-changes";
import { markPath } from "../../provider/src/pulumi/shared/declared-path";

/** What `check` takes for the recording, after the engine put back what `ignoreChanges` names. */

const identity = { namespace: "n", urn: "urn", marksPaths: true };
const olds = { audio: "a.wav", audioSha256: "old", audioSeconds: 12, targetModel: "m" };
const keptOnes = { audio: "a.wav", audioSha256: "old", audioSeconds: 12 };
const none: ReadonlySet<string> = new Set();

test.each<[what: string, olds: Props, passed: Props, who: Partial<typeof identity>, expected: Props, isKept: boolean]>([
  ["the program's path", olds, { audio: markPath("a.wav") }, identity, { audio: "a.wav" }, false],
  ["another path of the program's", olds, { audio: markPath("b.mp3") }, identity, { audio: "b.mp3" }, false],
  ["the old path, put back", olds, { audio: "a.wav" }, identity, keptOnes, true],
  ["the old hash, put back", olds, { audio: markPath("b.mp3"), audioSha256: "old" }, identity, keptOnes, true],
  ["a path that a transform set", olds, { audio: "c.m4a" }, identity, { audio: "c.m4a" }, false],
  ["the path of a program that marks none", olds, { audio: "a.wav" }, {}, { audio: "a.wav" }, false],
  ["the path of a new voice", {}, { audio: "a.wav" }, identity, { audio: "a.wav" }, false],
  ["a URL in place of a path", olds, { audio: "https://a/b.wav" }, identity, { audio: "https://a/b.wav" }, false],
])("%s", (_, before, passed, who, expected, isKept) => {
  const { marksPaths } = who;
  const given = { namespace: "n", urn: "urn", ...(marksPaths && { marksPaths }) };
  const { news, keepsRecording } = withRecording(before, passed, none, given);
  expect([news, keepsRecording]).toEqual([expected, isKept]);
});

test("a recording that is not known yet is known when it is ignored", () => {
  const unknown = new Set(["audio", "text"]);
  expect(withRecording(olds, { audioSha256: "old" }, unknown, identity)).toEqual({
    ...{ news: keptOnes, unknown: new Set(["text"]), keepsRecording: true },
  });
  expect(withRecording(olds, {}, unknown, identity)).toMatchObject({ unknown, keepsRecording: false });
});

test.each<[what: string, olds: Props, passed: unknown, unknown: string[], expected: boolean]>([
  ["an existing resource without identity", olds, undefined, [], true],
  ["one whose identity is not known yet", olds, undefined, ["identity"], false],
  ["one with an identity", olds, identity, [], false],
  ["a new resource", {}, undefined, [], false],
])("all changes are ignored: %s", (_, before, passed, unknown, expected) => {
  expect(ignoresEverything(before, passed, new Set(unknown))).toBe(expected);
});
