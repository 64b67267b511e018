import { inputsIn } from "../../provider/src/rules/inputs";
import { voiceInputs } from "../../provider/src/rules/voice-fields";
import {
  chooseName,
  generateName,
  hasClonedShape,
  looksGenerated,
  hashInVoice,
  nameInVoice,
  nameMatch,
  type Identity,
  type NamingFacts,
  type VoiceContent,
} from "../../provider/src/rules/naming";

const identity: Identity = {
  namespace: "acme",
  urn: "urn:pulumi:prod::shop::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::narrator-en",
};
const content: VoiceContent = {
  targetModel: "svc3-tts-vc-2026-01-22",
  audio: "df4ac9ab",
  text: "Hi",
  language: "en",
  triggers: [1, "a"],
};

const fromUrl = { targetModel: content.targetModel, audio: "https://example.com/a.wav" };

test.each(["guide_english", "take_2english", "a_1bcdef", "narra_1234567"])(
  "a name that people make, %s, is generated: %s",
  (name) => {
    expect(looksGenerated(name)).toBe(name === "narra_1234567");
  },
);

test("the formula always gives the same name, because a killed create is found again by its name", () => {
  expect(generateName(identity, content)).toBe("narra_en_6juye1e");
  expect(generateName(identity, fromUrl)).toBe("narra_en_3xiegqo");
  expect(generateName(identity, { ...fromUrl, triggers: [] })).toBe("narra_en_3xiegqo");
});

describe("the name of a voice with a secret input", () => {
  const inputs = { targetModel: content.targetModel, text: "hush" };
  const facts = { unknown: new Set<string>(), audio: "aa", identity };
  const choose = (secrets: string[], apiKey?: string, text = "hush") =>
    chooseName({ ...inputs, text }, { ...facts, secrets: new Set(secrets), apiKey })?.preferredName;

  test("can't be computed from a guess of the input without the API key", () => {
    const guess = generateName(identity, { ...inputs, audio: "aa" });
    expect(choose([])).toBe(guess);
    expect(choose(["text"], "sk-one")).not.toBe(guess);
    expect(choose(["text"], "sk-one")).not.toBe(choose(["text"], "sk-two"));
    expect(choose(["text"], "sk-one")).not.toBe(choose(["text"], "sk-one", "other"));
    for (const name of ["targetModel", "audio", "language", "triggers"])
      expect(choose([name], "sk-one")).toBe(choose(["text"], "sk-one"));
  });

  test("is the same in each run with the same key, so that a killed create is found again", () => {
    expect(choose(["text"], "sk-one")).toBe("narra_en_3ja77m4");
  });

  test("is not known without a key, and is kept once the voice exists, whatever the key is then", () => {
    expect(choose(["text"])).toBeUndefined();
    const olds = { preferredName: "narra_en_1234567", nameVersion: 2 };
    expect(chooseName(inputs, { ...facts, olds, secrets: new Set(["text"]), apiKey: "sk-new" })).toEqual(olds);
    expect(chooseName(inputs, { ...facts, olds, secrets: new Set(["text"]) })).toEqual(olds);
  });

  test("is made with the key if it is not known which inputs are secret", () => {
    const unclear = { ...facts, secrets: undefined };
    expect(chooseName(inputs, unclear)).toBeUndefined();
    expect(chooseName(inputs, { ...unclear, apiKey: "sk-one" })?.preferredName).toBe(choose(["text"], "sk-one"));
  });

  test("is computed without a key if only an input is secret that has no part in it", () => {
    expect(choose(["adopt"], "sk-one")).toBe(choose([]));
  });
});

test("the name depends on the namespace, the URN, the recording, and on the type of a value", () => {
  const names = [
    generateName(identity, content),
    generateName({ ...identity, namespace: "other" }, content),
    generateName({ ...identity, urn: identity.urn.replace("prod", "dev") }, content),
    generateName({ ...identity, urn: identity.urn.replace("CloudVoice::", "CloudVoice$x::") }, content),
    generateName(identity, { ...content, audio: "changed" }),
    generateName(identity, { ...content, triggers: [1, "b"] }),
    generateName(identity, { ...content, triggers: ["1", "a"] }),
    generateName(identity, { ...content, text: undefined }),
  ];
  expect(new Set(names).size).toBe(names.length);
});

const replacing = inputsIn(voiceInputs).filter(({ meaning }) => meaning.change === "replaces");

test.each(replacing.map(({ name }) => name).filter((name) => name !== "preferredName"))(
  "a change of %s, which replaces the voice, changes its name, and waits while the value is not known",
  (name) => {
    const changed = { ...content, [name]: name === "triggers" ? ["other"] : "other" };
    expect(generateName(identity, changed)).not.toBe(generateName(identity, content));
    expect(
      chooseName({ ...content }, { unknown: new Set([name]), audio: content.audio, identity, secrets: new Set() }),
    ).toBeUndefined();
  },
);

describe("the name of a resource", () => {
  const none = new Set<string>();
  const choose = (chosen: object, facts: Partial<NamingFacts>) =>
    chooseName({ ...content, ...chosen }, { unknown: none, audio: content.audio, identity, secrets: none, ...facts });

  test("is the program's, when the program chose one", () => {
    expect(choose({ preferredName: "mine" }, { olds: { preferredName: "old", nameVersion: 1 } })).toEqual({
      preferredName: "mine",
      noteName: "narra_en_6lhlfw9",
    });
    const olds = { preferredName: "mine", noteName: "narra_en_1234567" };
    expect(choose({ preferredName: "mine" }, { olds })).toEqual(olds);
  });

  test("is generated at creation, and then kept, whatever changes", () => {
    expect(choose({}, {})).toEqual({ preferredName: "narra_en_6juye1e", nameVersion: 1 });
    const olds = { preferredName: "old", nameVersion: 1 };
    expect(choose({ text: "new" }, { audio: "bb", identity: { ...identity, urn: "urn:other" }, olds })).toEqual(olds);
    // A state must not get a property that is undefined.
    expect(choose({}, { olds: { preferredName: "chosen" } })).toStrictEqual({ preferredName: "chosen" });
  });

  test.each<[what: string, Partial<NamingFacts>]>([
    ["whether the program chose one", { unknown: new Set(["preferredName"]) }],
    ["the namespace", { unknown: new Set(["identity"]) }],
    ["the resource", { identity: undefined }],
    ["the recording", { audio: undefined }],
  ])("waits until it is known: %s", (_, facts) => {
    expect(choose({}, facts)).toBeUndefined();
  });
});

test.each([
  ["narrator", "narrator"],
  ["narrator-en", "narra_en"],
  ["narratorEn", "narra_En"],
  ["voices-narrator-en", "vo_na_en"],
  ["narrator-de-at-v2", "na_de_at"],
  ["-de-", "de"],
  ["ab-123456", "ab_12345"],
  ["naïve voice №7", "na_ve_vo"],
  ["声", "voice"],
  ["x".repeat(200), "xxxxxxxx"],
])("a resource named %s gets a name that begins with %s and that the service accepts", (name, beginning) => {
  const generated = generateName({ ...identity, urn: `urn:pulumi:prod::shop::t::${name}` }, content);
  expect(generated.replace(/_[0-9a-z]{7}$/, "")).toBe(beginning);
  expect(generated).toMatch(/^[0-9A-Za-z_]{1,16}$/);
});

test.each([
  ["voices-narrator-en", "narra_en"],
  ["my-voices-narrator", "voic_nar"],
  ["voices-声", "voices"],
])("the voice %s of a catalog gets a name that begins with %s", (name, beginning) => {
  const type = "cloudvoice:index:VoiceCatalog$pulumi-nodejs:dynamic/cloudvoice:CloudVoice";
  const generated = generateName({ ...identity, urn: `urn:pulumi:prod::shop::${type}::${name}` }, content);
  expect(generated.replace(/_[0-9a-z]{7}$/, "")).toBe(beginning);
});

test.each([
  ["svc-tts-vc-bob-voice-20250812105009984-838b", "bob", "yes"],
  ["svc-tts-vc-rebob-voice-20250812105009984-838b", "bob", "perhaps"],
  ["svc-tts-vc-re_bob-voice-20250812105009984-838b", "bob", "perhaps"],
  ["bob-voice-20250812105009984-838b", "bob", "yes"],
  ["svc-tts-vc-bob", "bob", "no"],
  ["svc-tts-vc-bob-voice-1", "alice", "no"],
  ["svc-tts-vc-bob-voice-over-voice-20250812105009984-838b", "bob", "no"],
])("the voice %s has the chosen name %s: %s", (voice, name, match) => {
  expect(nameMatch(voice, name)).toBe(match);
});

test.each([
  ["svc-tts-vc-ator_en_3iljwe2-voice-20250812105009984-838b", "yes"],
  ["svcvc_ator_en_3iljwe2-voice-20250812105009984-838b", "yes"],
  ["ator_en_3iljwe2-voice-20250812105009984-838b", "yes"],
  ["svc-tts-vc-ator_en_53iljwe3-voice-20250812105009984-838b", "no"],
  ["svc-tts-vc-narra_en_3iljwe2-voice-20250812105009984-838b", "yes"],
  ["svc-tts-vc-narra3iljwe2-voice-20250812105009984-838b", "no"],
  ["svc-tts-vc-ator_en_3iljwe2", "no"],
])("the voice %s has the generated name ator_en_3iljwe2, with any prefix: %s", (voice, match) => {
  expect(nameMatch(voice, "ator_en_3iljwe2")).toBe(match);
});

test.each([
  ["svc-tts-vc-arrator_ovv6slf-voice-20261121000340327-f8e5", "arrator_ovv6slf"],
  ["bob-voice-1", "bob"],
  ["svc.b-voice-1", "b"],
  ["svc-tts-vc-bob-voice-over-voice-1", "over"],
  ["svc-tts-vc--voice-1", undefined],
  [`${"x".repeat(17)}-voice-1`, undefined],
  ["created-by-hand", undefined],
])("the preferred name in the voice name %s is %s", (voice, name) => {
  expect(nameInVoice(voice)).toBe(name);
});

test.each([
  ["svc-tts-vc-ator_en_3iljwe2-voice-20250812105009984-838b", "3iljwe2"],
  ["bob-voice-1", "bob"],
  ["created-by-hand", ""],
])("the end of the hash in the voice name %s is %j", (voice, hash) => {
  expect(hashInVoice(voice)).toBe(hash);
});

test.each([
  ["svc-tts-vc-bob-voice-20250812105009984-838b", true],
  ["a_-voice-20250812", true],
  ["bob-voice-2025081", false],
  ["bob-voice-2-0250812", false],
  ["-voice-20250812", false],
])("the name %s has the shape of a cloned voice's: %s", (voice, has) => {
  expect(hasClonedShape(voice)).toBe(has);
});

describe("a URL with a signature", () => {
  const signedAt = (day: number, path = "a") =>
    `https://example.com/${path}.wav?X-Amz-Date=${day}&X-Amz-Signature=${day}f`;
  const facts = (audio: string) => ({ unknown: new Set<string>(), audio, identity, secrets: new Set<string>() });
  const inputs = { targetModel: content.targetModel };

  test("gives the same name with each signature, which is that of the URL without one", () => {
    const names = [1, 2].map((day) => chooseName(inputs, facts(signedAt(day)))?.preferredName);
    expect(names).toEqual(["narra_en_3xiegqo", "narra_en_3xiegqo"]);
    expect(chooseName(inputs, facts(signedAt(1, "b")))?.preferredName).not.toBe(names[0]);
  });
});
