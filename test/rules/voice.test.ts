import type { AudioFacts } from "../../provider/src/rules/audio";
import { checkFailure } from "../../provider/src/rules/inputs";
import {
  adoptedReplacementProblem,
  type CheckedVoice,
  voiceReplacements,
  voiceUpdates,
} from "../../provider/src/rules/voice";
import { checkVoiceInputs, type VoiceInputs } from "../../provider/src/rules/voice-fields";

const none: ReadonlySet<string> = new Set();
const model = "svc3-tts-vc-2026-01-22";
const sound: AudioFacts = { state: "audio", kind: "wav", bytes: 500_000, sha256: "aa", seconds: 12 };

/** The problems of a voice with these inputs, as the engine gets them. `file`: null for the address of a recording. */
function failuresOf(inputs: object, file: AudioFacts | null = sound, unknown: string[] = []) {
  const facts = { audio: file ?? undefined, extraTargetModels: ["svc4"] };
  return checkVoiceInputs(inputs, new Set(unknown), facts).map((problem) => checkFailure(problem));
}
const right = { targetModel: model, audio: "a.wav" };

describe("problems of the inputs", () => {
  const propertiesOf = (...inputs: Parameters<typeof failuresOf>) =>
    failuresOf(...inputs).map(({ property }) => property);

  test("the model and the recording are required, unless they are not known yet", () => {
    expect(propertiesOf({})).toEqual(["targetModel", "audio"]);
    expect(propertiesOf({}, sound, ["targetModel", "audio", "language"])).toEqual([]);
  });

  test.each<[what: string, inputs: { [K in keyof VoiceInputs]?: unknown }, properties: string[]]>([
    ["nothing wrong", {}, []],
    [
      "every field right",
      { preferredName: "Abc_0123456789xy", text: "x", language: "ko", triggers: [1, "a", true], adopt: "v" },
      [],
    ],
    ["a newer model, named in the settings", { targetModel: "svc4" }, []],
    ["an unknown model", { targetModel: "svc5" }, ["targetModel"]],
    ["a name with an umlaut", { preferredName: "müller" }, ["preferredName"]],
    ["a name with a line end", { preferredName: "abc\n" }, ["preferredName"]],
    [
      "values of other types",
      { targetModel: 1, audio: 2, preferredName: 3, text: 4, language: 5, triggers: 6, adopt: 7 },
      ["targetModel", "audio", "preferredName", "", "language", "triggers", "adopt"],
    ],
    ["an upper-case language", { language: "EN" }, ["language"]],
    ["nested triggers", { triggers: [["a"]] }, ["triggers[0]"]],
    ["a blank adopt", { adopt: " " }, ["adopt"]],
  ])("%s", (_, inputs, properties) => {
    expect(propertiesOf({ ...right, ...inputs })).toEqual(properties);
  });

  // The engine prints the value of the property that a failure names.
  test.each<[inputs: object, file: AudioFacts | null, reason: RegExp]>([
    [{ text: { canary: 1 } }, sound, /^text must be a text$/],
    [{ audio: "https://canary@example.com/a.wav" }, null, /^audio has credentials in its URL;/],
    [{ audio: "https://user:can/ary@example.com/a.wav" }, null, /^audio is not a valid URL/],
    [{ audio: " https://user:canary@example.com/a.wav" }, { state: "missing" }, /^audio does not exist/],
  ])("a value that may be secret is not shown: %j", (inputs, file, reason) => {
    const failures = failuresOf({ ...right, ...inputs }, file);
    expect(failures).toEqual([{ property: "", reason: expect.stringMatching(reason) as unknown }]);
    expect(JSON.stringify(failures)).not.toMatch(/can.?ary/);
  });

  test.each<[audio: string, file: AudioFacts | null]>([
    ["C:\\audio\\a.wav", { state: "missing" }],
    ["https://exa mple.com/a.wav", null],
  ])("any other place is shown beside the problem: %s", (audio, file) => {
    expect(propertiesOf({ ...right, audio }, file)).toEqual(["audio"]);
  });

  test.each<[name: string, reason: RegExp]>([
    ["a_name_of_18_chars", /^is "a_name_of_18_chars"; it must be 1 to 16 digits, letters/],
    ["my-voice", /^is "my-voice"; it must be 1 to 16 digits, letters/],
    ["my-very-long voice", /^is "my-very-long voice"; it must be 1 to 16 digits, letters/],
    ["a-name-of-16-chr", /^is "a-name-of-16-chr"; it must be 1 to 16 digits, letters/],
    ["", /^is ""; it must be 1 to 16 digits, letters/],
  ])("the name %s is refused with the reason", (preferredName, reason) => {
    expect(failuresOf({ ...right, preferredName })[0]?.reason).toMatch(reason);
  });
});

test("a recording is judged by its content, and nothing is known about that of a URL", () => {
  expect(failuresOf(right, { ...sound, seconds: 3 })[0]?.reason).toMatch(/^is 3 s long, shorter than/);
  expect(failuresOf({ ...right, audio: "https://example.com/a.wav" }, null)).toEqual([]);
});

describe("what a change does", () => {
  const old: CheckedVoice = {
    targetModel: model,
    audio: "a.wav",
    audioSha256: "aa",
    audioSeconds: 12,
    preferredName: "n_1",
    nameVersion: 1,
  };
  const url: CheckedVoice = { targetModel: model, audio: "https://x/a.wav", preferredName: "n_1" };
  const signed = (day: number) => ({ ...url, audio: `https://x/a.wav?X-Amz-Date=${day}&X-Amz-Signature=${day}f` });
  test.each<[what: string, olds: CheckedVoice, news: CheckedVoice, replaces: string[], updates: string[]]>([
    ["nothing", old, old, [], []],
    ["the path of the same bytes", old, { ...old, audio: "b/a.wav" }, [], ["audio"]],
    ["the bytes behind the path", old, { ...old, audioSha256: "bb" }, ["audioSha256"], []],
    ["path and bytes", old, { ...old, audio: "b.wav", audioSha256: "bb" }, ["audioSha256"], ["audio"]],
    ["a URL", url, { ...url, audio: "https://x/b.wav" }, ["audio"], ["audio"]],
    ["the signature of a URL", signed(1), signed(2), [], []],
    ["a URL, and now a file", url, { ...url, audio: "a.wav", audioSha256: "aa" }, ["audio"], ["audio"]],
    // Nobody knows the bytes behind the URL.
    ["a file, and now a URL", old, url, ["audio"], ["audio"]],
    ["the model", old, { ...old, targetModel: "m" }, ["targetModel"], []],
    ["a generated name", old, { ...old, preferredName: "other" }, [], []],
    ["a chosen name", url, { ...url, preferredName: "other" }, ["preferredName"], []],
    ["a chosen name for a generated one", url, { ...url, nameVersion: 1, preferredName: "o" }, ["preferredName"], []],
    ["the text added", old, { ...old, text: "x" }, ["text"], []],
    ["the language added", old, { ...old, language: "en" }, ["language"], []],
    ["triggers", { ...old, triggers: [1] }, { ...old, triggers: [2] }, ["triggers"], []],
    ["adopt added", old, { ...old, adopt: "v" }, [], ["adopt"]],
    ["adopt taken out", { ...old, adopt: "v" }, old, [], ["adopt"]],
    ["the version of the name's formula", old, { ...old, nameVersion: 2 }, [], []],
  ])("%s", (_, olds, news, replaces, updates) => {
    expect(voiceReplacements(olds, news, none)).toEqual(replaces);
    expect(voiceUpdates(olds, news, none)).toEqual(updates);
  });

  test.each(["audio", "text"])("%s not known yet replaces the voice", (name) => {
    expect(voiceReplacements(old, old, new Set([name]))).toEqual([name]);
  });

  test("a replacement is refused while adopt is set, and only then", () => {
    expect(adoptedReplacementProblem({ ...old, adopt: "v" }, { ...old, adopt: "v" }, ["text"])).toMatch(
      /text changed.*take adopt out/,
    );
    expect(adoptedReplacementProblem({ ...old, adopt: "v" }, { ...old, adopt: "v" }, [])).toBeUndefined();
    expect(adoptedReplacementProblem({ ...old, adopt: "v" }, old, ["text"])).toBeUndefined();
    expect(adoptedReplacementProblem(old, { ...old, adopt: "v" }, ["text"])).toBeUndefined();
  });
});
