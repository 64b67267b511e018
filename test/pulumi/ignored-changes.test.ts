import { DynamicResources } from "../../provider/src/dynamic/dynamic-resources";
import type { Props } from "../../provider/src/lifecycle/lifecycle";
import { markPath } from "../../provider/src/dynamic/provider-text";

/** What `check` learns of a dynamic resource, after the engine put back what `ignoreChanges` names. */

const identity = { urn: "urn:pulumi:dev::p::t::v", marksPaths: true };
const olds = { audio: "a.wav", audioSha256: "old", audioSeconds: 12, targetModel: "m" };
const none: ReadonlySet<string> = new Set();

test.each<[what: string, olds: Props, passed: Props, who: Partial<typeof identity>, audio: string, isKept: boolean]>([
  ["the program's path", olds, { audio: markPath("a.wav") }, identity, "a.wav", false],
  ["another path of the program's", olds, { audio: markPath("b.mp3") }, identity, "b.mp3", false],
  ["the old path, put back", olds, { audio: "a.wav" }, identity, "a.wav", true],
  ["the old hash, put back", olds, { audio: markPath("b.mp3"), audioSha256: "old" }, identity, "b.mp3", true],
  ["a path that a transform set", olds, { audio: "c.m4a" }, identity, "./c.m4a", false],
  ["the same path, set again", { ...olds, audio: "./c.m4a" }, { audio: "c.m4a" }, identity, "./c.m4a", false],
  ["that path, put back", { ...olds, audio: "./c.m4a" }, { audio: "./c.m4a" }, identity, "./c.m4a", true],
  ["the path of a program that marks none", olds, { audio: "a.wav" }, {}, "a.wav", false],
  ["a path that a transform set for a new voice", {}, { audio: "./a.wav" }, identity, "././a.wav", false],
  ["a URL in place of a path", olds, { audio: "https://a/b.wav" }, identity, "https://a/b.wav", false],
])("%s", (_, before, passed, { marksPaths }, audio, isKept) => {
  const given = { urn: identity.urn, ...(marksPaths && { marksPaths }) };
  const { news, resource } = new DynamicResources().check(before, { ...passed, identity: given }, none);
  expect([news.audio, resource.options.keepsRecording]).toEqual([audio, isKept]);
});

test.each<[what: string, olds: Props, passed: unknown, unknown: string[], expected: boolean]>([
  ["an existing resource without identity", olds, undefined, [], true],
  ["one whose identity is not known yet", olds, undefined, ["identity"], false],
  ["one with an identity", olds, identity, [], false],
  ["a new resource", {}, undefined, [], false],
])("all changes are ignored: %s", (_, before, passed, unknown, expected) => {
  const { resource } = new DynamicResources().check(before, { identity: passed }, new Set(unknown));
  expect(resource.options.ignoresEverything).toBe(expected);
});

test("a resource is known again by its label: who it is, and which of its inputs are secret", () => {
  const resources = new DynamicResources();
  const other = { ...identity, urn: "urn:pulumi:dev::p::t::w" };
  // Equal inputs, of two resources.
  const [v, w] = [identity, other].map((who) =>
    resources.check({}, { a: 1, identity: who, secretInputs: ["a"] }, none),
  );
  expect([v?.resource.name, w?.resource.name]).toEqual(["v", "w"]);
  expect(resources.of({ a: 1, label: w?.resource.label })).toBe(w?.resource);
  // An operation that checks nothing knows the name, and not what is secret.
  const { name, identity: unknown, secrets } = new DynamicResources().of({ label: v?.resource.label });
  expect({ name, unknown, secrets }).toEqual({ name: "v", unknown: undefined, secrets: undefined });
  // With `ignoreChanges: ["*"]` the engine passes the old inputs only.
  const before = { label: v?.resource.label };
  expect(new DynamicResources().check(before, before, none).resource).toMatchObject({ name: "v", ...before });
});
