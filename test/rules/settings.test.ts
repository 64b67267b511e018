import { settingNames as namesInPrograms } from "../../provider/generated/names";
import { environmentName, findSetting } from "../../provider/src/rules/find-setting";
import {
  missingSettings,
  readSettings,
  type SettingName,
  settingNames,
  type Settings,
} from "../../provider/src/rules/settings";
import { settingMeanings, settingType } from "../../tools/generate/settings";

function read(environment: Record<string, string>, config: Record<string, string> = {}) {
  return readSettings((name) => findSetting(name, environment, (key) => config[key]));
}

test("the defaults", () => {
  expect(read({})).toEqual({
    voiceQuota: 1000,
    quotaCheck: "error",
    requireRights: "off",
    voicePrice: 0.01,
    currency: "USD",
    extraTargetModels: [],
    imagePollMs: 10_000,
    imageSubmitsPerSecond: 2,
    requestTimeoutMs: 60_000,
    settleMs: 60_000,
    maxRetries: 5,
    maxConcurrency: 16,
    maxThrottleMs: 900_000,
    debug: false,
    addressesOfFile: {},
  });
});

test("the environment comes before the stack's configuration", () => {
  const settings = read(
    { CLOUDVOICE_API_KEY: "new", CLOUDVOICE_VOICE_QUOTA: "5" },
    { "cloudvoice:apiKey": "old", "cloudvoice:maxRetries": "2" },
  );
  expect(settings).toMatchObject({ apiKey: "new", voiceQuota: 5, maxRetries: 2 });
});

test("white space around a value is not part of it, and a blank value is as good as none", () => {
  const settings = read(
    { CLOUDVOICE_API_KEY: " key\n", CLOUDVOICE_MAX_RETRIES: " " },
    { "cloudvoice:namespace": " team ", "cloudvoice:journal": " " },
  );
  expect(settings).toMatchObject({ apiKey: "key", namespace: "team", maxRetries: 5 });
  expect(settings.journal).toBeUndefined();
});

test("baseUrl stands for each address that is not set", () => {
  expect(
    read({ CLOUDVOICE_BASE_URL: "https://a.example/", CLOUDVOICE_IMAGE_BASE_URL: "https://b.example/x//" }),
  ).toMatchObject({
    voiceBaseUrl: "https://a.example",
    imageBaseUrl: "https://b.example/x",
    decisionBaseUrl: "https://a.example",
  });
});

test.each([
  ["CLOUDVOICE_MAX_RETRIES", "-1", /whole number from 0/],
  ["CLOUDVOICE_MAX_RETRIES", "1.5", /whole number from 0 to 1000000/],
  ["CLOUDVOICE_MAX_RETRIES", "1000001", /whole number from 0 to 1000000/],
  ["CLOUDVOICE_MAX_CONCURRENCY", "0", /whole number from 1/],
  ["CLOUDVOICE_REQUEST_TIMEOUT_SECONDS", "soon", /number from 0.01/],
  ["CLOUDVOICE_QUOTA_CHECK", "maybe", /error, warn, off/],
  ["CLOUDVOICE_REQUIRE_RIGHTS", "never", /is "never"; it must be one of off, warn, error/],
  ["CLOUDVOICE_FORMS", "voices", /CLOUDVOICE_FORMS must be a JSON object of paths$/],
  ["CLOUDVOICE_FORMS", '{"voces":"data"}', /must be a JSON object of paths.*voces/],
  ["CLOUDVOICE_FORMS", '{"voices":1}', /must be a JSON object of paths: voices /],
  ["CLOUDVOICE_FORMS", '{"voices":"data..items"}', /: voices must be names with dots between them, as data\.items$/],
  ["CLOUDVOICE_ALLOW_HTTP", "untrue", /true or false/],
  ["CLOUDVOICE_ALLOW_HTTP", "true-ish", /true or false/],
  ["CLOUDVOICE_BASE_URL", "example.com", /http\(s\) address/],
  ["CLOUDVOICE_BASE_URL", "file:///etc", /http\(s\) address/],
  [
    "CLOUDVOICE_BASE_URL",
    "http://voices.example/",
    /CLOUDVOICE_BASE_URL is "http:\/\/voices\.example\/": plain http would show the key/,
  ],
  ["CLOUDVOICE_BASE_URL", "https://u:p@voices.example", /without credentials/],
  ["CLOUDVOICE_BASE_URL", "https://u@voices.example", /without credentials/],
  ["CLOUDVOICE_BASE_URL", "https://:p@voices.example", /without credentials/],
  ["CLOUDVOICE_BASE_URL", "htps://u:canary@voices.example", /^(?!.*canary).*must be an http/],
  ["CLOUDVOICE_BASE_URL", "u:canary@voices.example", /^(?!.*canary).*must be an http/],
  // No header can carry it.
  ["CLOUDVOICE_API_KEY", "sk canary", /^(?!.*canary).*characters that no key has/],
  ["CLOUDVOICE_JOURNAL", "s3://journal?regoin=a", /has the parameter regoin; the supported parameters are region/],
])("%s=%s is refused", (variable, value, message) => {
  expect(() => read({ [variable]: value })).toThrow(message);
});

test.each([
  ["http://localhost:8080", ""],
  ["https://voices.example", ""],
  ["http://voices.example", "true"],
])("the address %s is accepted, with allowHttp %j", (address, allowHttp) => {
  const { voiceBaseUrl } = read({ CLOUDVOICE_BASE_URL: address, CLOUDVOICE_ALLOW_HTTP: allowHttp });
  expect(voiceBaseUrl).toBe(address);
});

test.each<[variable: string, value: string, settings: Partial<Settings>]>([
  ["CLOUDVOICE_MAX_RETRIES", "0", { maxRetries: 0 }],
  ["CLOUDVOICE_VOICE_QUOTA", "1000000", { voiceQuota: 1_000_000 }],
  ["CLOUDVOICE_REQUEST_TIMEOUT_SECONDS", "0.5", { requestTimeoutMs: 500 }],
  ["CLOUDVOICE_DEBUG", "true", { debug: true }],
  ["CLOUDVOICE_DEBUG", "TRUE", { debug: true }],
  ["CLOUDVOICE_DEBUG", "false", { debug: false }],
  ["CLOUDVOICE_DEBUG", "0", { debug: false }],
  ["CLOUDVOICE_JOURNAL", "notes", { journal: "notes" }],
  ["CLOUDVOICE_JOURNAL", "s3://notes/a", { journal: "s3://notes/a" }],
  ["CLOUDVOICE_EXTRA_TARGET_MODELS", "tts-9, tts-10,,", { extraTargetModels: ["tts-9", "tts-10"] }],
  ["CLOUDVOICE_FORMS", '{"voices":"data.*.items","error":"err"}', { forms: { voices: "data.*.items", error: "err" } }],
])("%s=%s is accepted", (variable, value, settings) => {
  expect(read({ [variable]: value })).toMatchObject(settings);
});

test("a wrong value is shown as far as its 60th character", () => {
  const messageOf = (length: number) => () => read({}, { "cloudvoice:maxRetries": "x".repeat(length) });
  expect(messageOf(58)).toThrow(/ cloudvoice:maxRetries is "x{58}"; /);
  expect(messageOf(59)).toThrow(/ is "x{59}…; /);
});

test.each<[SettingName, string]>([
  ["quotaCheck", "string"],
  ["debug", "boolean"],
  ["maxRetries", "integer"],
  ["settleSeconds", "number"],
])("in the plugin's schema, %s is of the type %s", (name, type) => {
  expect(settingType(name)).toBe(type);
});

test("every setting is described, with its default", () => {
  const described = settingMeanings();
  expect(described.map(([name]) => name)).toEqual(settingNames);
  for (const [, { description, default: fallback }] of described) {
    expect(description).toMatch(/\.$/);
    expect(fallback).not.toBe("");
  }
});

test("a fault of baseUrl is told once, and all faults together", () => {
  expect(() => read({ CLOUDVOICE_BASE_URL: "nowhere", CLOUDVOICE_MAX_RETRIES: "x" })).toThrow(
    /^settings: CLOUDVOICE_BASE_URL is "nowhere"; it must be an http\(s\) address; CLOUDVOICE_MAX_RETRIES is "x"; [^;]*$/,
  );
});

test.each([
  ["CLOUDVOICE_VOICE_QOUTA", "CLOUDVOICE_VOICE_QOUTA is not a setting; did you mean CLOUDVOICE_VOICE_QUOTA?"],
  ["CLOUDVOICE_APIKEY", "CLOUDVOICE_APIKEY is not a setting; did you mean CLOUDVOICE_API_KEY?"],
  ["cloudvoice:max_retries", "cloudvoice:max_retries is not a setting; did you mean cloudvoice:maxRetries?"],
  ["CLOUDVOICE_COLOUR", "CLOUDVOICE_COLOUR is not a setting; docs/settings.md lists the settings"],
  ["CLOUDVOICE_PROXY_PORT", "CLOUDVOICE_PROXY_PORT is not a setting; docs/settings.md lists the settings"],
])("the setting %s, which there is not, is refused", (name, problem) => {
  expect(() => readSettings(() => undefined, ["PATH", name])).toThrow(`settings: ${problem}`);
});

test("every setting is known, in the environment and in the configuration, and so is what is none of ours", () => {
  const given = settingNames.flatMap((name) => [environmentName(name), `cloudvoice:${name}`]);
  // Kubernetes sets variables for each service of a namespace, and one may have our name.
  const ofKubernetes = ["CLOUDVOICE_PORT", "CLOUDVOICE_PORT_443_TCP", "CLOUDVOICE_SERVICE_HOST"];
  const others = ["PATH", "MY_CLOUDVOICE_KEY", "aws:region", "cloudvoice-catalog:title", ...ofKubernetes];
  expect(() => readSettings(() => undefined, [...given, ...others])).not.toThrow();
});

test("yes is said in the environment only: in the stack's file, `accept` is no setting", () => {
  expect(() => readSettings(() => undefined, ["CLOUDVOICE_ACCEPT"])).not.toThrow();
  expect(() => readSettings(() => undefined, ["cloudvoice:accept"])).toThrow(/cloudvoice:accept is not a setting/);
  expect(settingNames).not.toContain("accept");
});

test("the names that programs check settings by are those of the schema", () => {
  expect(namesInPrograms).toEqual(settingNames);
});

const address = "https://service.example";
test.each([
  ["voice", { voiceBaseUrl: address }],
  ["image", { imageBaseUrl: address }],
  ["decision", { decisionBaseUrl: address }],
])("a key and the address of the %s interface are enough for an update", (_, settings) => {
  expect(missingSettings({ apiKey: "k", ...settings })).toBeUndefined();
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
])("a preview with %s names what to set", (_, settings, sentence) => {
  expect(missingSettings(settings)).toMatch(sentence);
});
