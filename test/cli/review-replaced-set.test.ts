import { parsePreview } from "../../provider/src/cli/review/preview";
import { voiceSetType } from "../../provider/src/rules/resource-types";
import type { VoiceOutputs } from "../../provider/src/rules/voice";
import { onlyEntries, setState } from "../../provider/src/rules/voice-set";
import { review } from "../support/review-steps";

/** What a review says of a set that the engine replaces (`--replace`): the new set keeps voices with the same content. */

const urn = `urn:pulumi:dev::program::${voiceSetType}::voices`;
const targetModel = "svc3-tts-vc-2026-01-22";
const content = (name: string) => ({ targetModel, audio: `${name}.wav`, audioSha256: name });
const made = (name: string, more: object = {}) =>
  ({
    ...content(name),
    ...{ voice: `svc-${name}`, degraded: false, adopted: false, account: "a", preferredName: name, nameVersion: 1 },
    ...more,
  }) as VoiceOutputs;
const held = onlyEntries([
  ["adopted", made("adopted", { adopted: true, adoptedWith: { preferredName: "adopted_7654321", nameVersion: 1 } })],
  ["former", made("former")],
  ["gone", made("gone")],
]);
const account = ["adopted", "former", "gone"].map((name) => ({ voice: `svc-${name}`, targetModel }));

function reviewed(old: object = {}, facts: object = {}) {
  const voices = Object.fromEntries(
    ["adopted", "former"].map((name) => [
      name === "former" ? "renamed" : name,
      { ...content(name), preferredName: `${name}_1234567`, nameVersion: 1 },
    ]),
  );
  const state = { urn, type: voiceSetType, id: "voices", inputs: { voices } };
  const outputs = setState(held, { instance: "i", updates: 1 });
  const step = { op: "replace", urn, oldState: { ...state, outputs, delete: true, ...old }, newState: state };
  const preview = parsePreview(Buffer.from(JSON.stringify({ steps: [step], changeSummary: { replace: 1 } })));
  return review([], { preview, account, ...facts });
}

test("an adopted voice and one of another key are kept at no cost, and the voice of a removed entry goes", () => {
  const { charge, changes, goingVoices, quota } = reviewed();
  expect(charge).toMatchObject({ voices: 0, atMost: 0 });
  expect(changes.map(({ action, name, takes }) => [action, name, takes])).toEqual([
    ["take", "voices.renamed", "svc-former"],
    ["replace", "voices.adopted", "svc-adopted"],
    ["delete", "voices.former", undefined],
    ["delete", "voices.gone", undefined],
  ]);
  expect(goingVoices.map(({ voice }) => voice)).toEqual(["svc-gone"]);
  expect(quota).toMatchObject({ now: 3, peak: 3, after: 2 });
});

test.each<[what: string, old: object, facts: object, paid: number]>([
  ["the engine deletes the old set first", { delete: false }, {}, 2],
  ["the program asks for new voices (replaceWith)", { replaceWith: ["urn"] }, {}, 2],
  ["the account lacks one", {}, { account: account.slice(1) }, 1],
  ["another stack holds one", {}, { elsewhere: new Map([["svc-former", "organization/p/prod"]]) }, 1],
])("voices are paid for again if %s", (_, old, facts, paid) => {
  expect(reviewed(old, facts).charge.voices).toBe(paid);
});
