import { closedGate, missingSettings, overQuota } from "../../provider/src/rules/preview-lines";

const address = "https://service.example";
const none = { apiKey: undefined, voiceBaseUrl: undefined, imageBaseUrl: undefined, decisionBaseUrl: undefined };

test.each([
  ["voice", { voiceBaseUrl: address }],
  ["image", { imageBaseUrl: address }],
  ["decision", { decisionBaseUrl: address }],
])("a key and the address of the %s interface are enough for an update", (_, settings) => {
  expect(missingSettings.write({ ...none, apiKey: "k", ...settings })).toBeUndefined();
});

// test/pulumi/missing-settings.test.ts has the whole text.
test.each([
  [
    "no key",
    { voiceBaseUrl: address },
    /no API key is set\. .* --secret cloudvoice:apiKey`, or set CLOUDVOICE_API_KEY\.$/,
  ],
  ["no address", { apiKey: "k" }, /no address of the service is set\. .* <address>`, or set CLOUDVOICE_BASE_URL\.$/],
  ["neither", {}, /address .* and .* key are set\. .*` and `.*, or set CLOUDVOICE_BASE_URL and CLOUDVOICE_API_KEY\.$/],
])(
  "a preview with %s names what to set, and a review finds that among the preview's lines",
  (_, settings, sentence) => {
    const problem = missingSettings.write({ ...none, ...settings });
    expect(problem).toMatch(sentence);
    const lines = ["previewing", "warning: the update will fail: the voice has another owner", `warning: ${problem}`];
    expect(missingSettings.findIn(lines)).toBe(problem);
  },
);

test("a review of a preview with another problem finds no missing setting", () => {
  expect(missingSettings.findIn([])).toBeUndefined();
  expect(missingSettings.findIn(["no API key", "the update will fail: the voice has another owner"])).toBeUndefined();
});

test("a review finds each line whatever the engine puts around it, and no other", () => {
  const around = (line: string) => `cloudvoice: warning: ${line} (resource)`;
  const gate = closedGate.write("moderation", "tone: expected rude");
  expect(gate).toMatch(/stop at the decision moderation, .*: tone: expected rude\. /);
  expect([closedGate.isIn(around(gate), "moderation"), closedGate.isIn(gate, "other")]).toEqual([true, false]);
  const quota = overQuota.write("the account is too small");
  expect([overQuota.isIn(around(quota)), overQuota.isIn(gate)]).toEqual([true, false]);
});
