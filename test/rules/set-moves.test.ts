import { keyInSet, moveLine, type SetMove, setMove, setMoves } from "../../provider/src/rules/set-moves";

const urn = (types: string, name: string) => `urn:pulumi:dev::app::${types}::${name}`;
const voice = "cloudvoice:index:CloudVoice";
const entry = (name: string) => urn(`cloudvoice:index:VoiceSet$${voice}`, name);
const child = (name: string) => urn(`cloudvoice:index:VoiceCatalog$${voice}`, name);
const alone = (name: string) => urn("pulumi-nodejs:dynamic/cloudvoice:CloudVoice", name);

test.each([
  [entry("voices.narrator"), "narrator"],
  [entry("my.voices.narrator"), "narrator"],
  [entry('voices["the narrator"]'), "the narrator"],
  [entry('voices["a[\\"b\\"]"]'), 'a["b"]'],
  [entry('voices["a.b"]'), "a.b"],
  [child("voices-narrator"), undefined],
  [alone("voices.narrator"), undefined],
  [urn(`x:VoiceSet$${voice}`, "voices.narrator"), undefined],
  ["voices.narrator", undefined],
])("the key of %s is %s", (each, key) => {
  expect(keyInSet(each)).toBe(key);
});

const into: SetMove = { into: true, set: "voices", catalog: "team" };
test.each<[created: string, existing: string, move: SetMove | undefined]>([
  [entry("voices.a"), child("team-a"), into],
  [child("team-a"), entry("voices.a"), { ...into, into: false }],
  [entry("voices.a"), alone("a"), { ...into, catalog: undefined }],
  [alone("a"), entry("voices.a"), { into: false, set: "voices", catalog: undefined }],
  [entry('the.voices["a-b"]'), child("my-team-a-b"), { into: true, set: "the.voices", catalog: "my-team" }],
  [entry("voices.a"), alone("team-a"), undefined],
  [entry("voices.a"), child("team-b"), undefined],
  [entry("voices.a"), child("a"), { ...into, catalog: undefined }],
  [entry("voices.a"), entry("others.a"), undefined],
  [alone("a"), child("team-a"), undefined],
  [alone("a"), child("team-undefined"), undefined],
  [entry('voices["others.a"]'), entry("others.a"), undefined],
])("%s in place of %s", (created, existing, move) => {
  expect(setMove(created, existing)).toEqual(move);
});

test.each([
  ["the same file", { audio: "a.wav", audioSha256: "1" }, { audio: "b.wav", audioSha256: "1" }, true],
  ["another file", { audio: "a.wav", audioSha256: "1" }, { audio: "a.wav", audioSha256: "2" }, false],
  [
    "the same address",
    { audio: "https://x/a?X-Amz-Date=1&X-Amz-Signature=1" },
    { audio: "https://x/a?X-Amz-Date=2&X-Amz-Signature=2" },
    true,
  ],
  ["another address", { audio: "https://x/a" }, { audio: "https://x/b" }, false],
  ["an encrypted recording", { audio: {} }, { audio: "a.wav", audioSha256: "1" }, true],
  ["an unknown recording", {}, { audio: "a.wav", audioSha256: "1" }, true],
  ["a recording that is not known yet", { audio: "a.wav", audioSha256: "1" }, {}, false],
])("%s of an existing voice", (_, existing, created, isFound) => {
  const find = setMoves([
    { urn: child("team-b"), ...existing },
    { urn: child("team-a"), ...existing },
  ]);
  expect(find({ urn: entry("voices.a"), ...created })).toEqual(isFound ? into : undefined);
  expect(find({ urn: entry("voices.a"), ...created }, () => false)).toBeUndefined();
  expect(find({ urn: entry("voices.c"), ...created })).toBeUndefined();
});

test.each<[move: SetMove, line: RegExp]>([
  [
    { ...into, catalog: "voices" },
    /^`npx --no-install pulumi-cloudvoice move voices --stack dev` keeps 2 voices .* outside of the set voices, /,
  ],
  // `move team` would make a set `team` of all its voices.
  [
    into,
    /^the entries of the set voices can keep 2 voices at no cost, .* `adopt`, .* removes them from the catalog team: /,
  ],
  [{ ...into, catalog: undefined }, /^`npx --no-install pulumi-cloudvoice move voices --flat --stack dev` keeps/],
  [{ ...into, set: "a b", catalog: "a b" }, /move 'a b' --stack/],
  [{ ...into, into: false }, /^`pulumi-cloudvoice move`, .* 2 voices into entries of the set voices .*Write VoiceSet/],
])("the line of %j says what keeps the voices", (move, line) => {
  expect(moveLine(move, "2 voices", "dev")).toMatch(line);
  expect(moveLine(move, "2 voices", "dev")).toContain("with equal keys and recordings");
});
