import { byHandLine, createQuestion, voicesByHand } from "../../../provider/src/voices/judge/by-hand";

/** Voices that a person made before there was a stack, found by their names. A name proves nothing, so they are never taken. */

const voice = (name: string) => `svc-tts-vc-${name}-voice-20260601110000000-0001`;
const urn = (name: string, types = "cloudvoice:index:CloudVoice") => `urn:pulumi:dev::p::${types}::${name}`;
const ofCatalog = "cloudvoice:index:VoiceCatalog$pulumi-nodejs:dynamic/cloudvoice:CloudVoice";

test.each<[what: string, urn: string, name: string, isFound: boolean]>([
  ["the name of the resource", urn("narrator"), "narrator", true],
  ["a name that begins with it", urn("narrator"), "narrator_v2", true],
  ["another case", urn("Narrator"), "narrator", true],
  ["the key of a catalog", urn("voices-narrator", ofCatalog), "narrator", true],
  ["the key of a catalog whose name has a dash", urn("my-voices-narrator", ofCatalog), "narrator_v2", true],
  ["the key with a dash of a catalog", urn("voices-help-desk", ofCatalog), "help_desk", true],
  ["the name of a catalog", urn("voices-narrator", ofCatalog), "voices", false],
  ["the beginning of a long key", urn("narrator-of-the-evening-news"), "narrator_of_the_", true],
  ["another name", urn("narrator"), "support", false],
  ["a name that contains it", urn("narrator"), "old_narrator", false],
  ["a generated name", urn("narrator"), "narrator_1a2b3c4", false],
  ["a short key, which begins many names", urn("de"), "de_speaker", false],
])("%s", (_, resource, name, isFound) => {
  expect(voicesByHand(resource, [{ voice: voice(name) }, { voice: "support" }])).toEqual(isFound ? [voice(name)] : []);
});

test("three resources are a question, which says what it costs and how to take the voices over", () => {
  const found = ["a", "b", "c"].map((name) => ({ name, voices: [voice(name)] }));
  const about = { voicePrice: 0.01, currency: "USD", origin: "https://a.example" };
  expect(createQuestion(found.slice(1), "p/dev", about)).toBeUndefined();
  const question = createQuestion(found, "p/dev", about);
  expect(question).toMatchObject({ kind: "create", stack: "p/dev", origin: "https://a.example" });
  expect(question?.uncertain).toMatch(/For 3 of the stack.s resources, .* created by hand: svc-tts-vc-a-.* for a, /);
  expect(question?.yes).toMatch(/at least \$0\.03/);
  expect(question?.otherwise).toContain("voices --adopt");
  expect(byHandLine({ name: "a", voices: [voice("a"), voice("a2")] })).toMatch(
    / \(and 1 more with such a name\).*adopt: "svc-tts-vc-a-/,
  );
});
