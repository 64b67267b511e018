import { missingSettingsIn, missingSettingsProblem } from "../../provider/src/rules/missing-settings";

const address = "https://service.example";
const none = { apiKey: undefined, voiceBaseUrl: undefined, imageBaseUrl: undefined, decisionBaseUrl: undefined };

test.each([
  ["voice", { voiceBaseUrl: address }],
  ["image", { imageBaseUrl: address }],
  ["decision", { decisionBaseUrl: address }],
])("a key and the address of the %s interface are enough for an update", (_, settings) => {
  expect(missingSettingsProblem({ ...none, apiKey: "k", ...settings })).toBeUndefined();
});

test.each([
  [
    "no key",
    { ...none, voiceBaseUrl: address },
    "the update will fail: no API key is set. " +
      "Run `pulumi config set --secret cloudvoice:apiKey`, or set CLOUDVOICE_API_KEY.",
  ],
  [
    "no address",
    { ...none, apiKey: "k" },
    "the update will fail: no address of the service is set. " +
      "Run `pulumi config set cloudvoice:baseUrl <address>`, or set CLOUDVOICE_BASE_URL.",
  ],
  [
    "neither",
    none,
    "the update will fail: no address of the service and no API key are set. " +
      "Run `pulumi config set cloudvoice:baseUrl <address>` and `pulumi config set --secret cloudvoice:apiKey`, " +
      "or set CLOUDVOICE_BASE_URL and CLOUDVOICE_API_KEY.",
  ],
])("a preview with %s names what to set, and a review finds that among the preview's lines", (_, settings, problem) => {
  expect(missingSettingsProblem(settings)).toBe(problem);
  const lines = ["previewing", "warning: the update will fail: the voice has another owner", `warning: ${problem}`];
  expect(missingSettingsIn(lines)).toBe(problem);
});

test("a review of a preview with another problem finds no missing setting", () => {
  expect(missingSettingsIn([])).toBeUndefined();
  expect(missingSettingsIn(["no API key", "the update will fail: the voice has another owner"])).toBeUndefined();
});
