import { meantForService } from "../../provider/src/rules/addresses";

const service = "https://service.example";
const local = "http://127.0.0.1:9";

test.each<[string, NodeJS.ProcessEnv, Record<string, unknown> | undefined, string | undefined]>([
  ["nothing", {}, undefined, undefined],
  ["empty variables", { CLOUDVOICE_BASE_URL: " ", CLOUDVOICE_API_KEY: "", PULUMI_BACKEND_URL: " " }, {}, undefined],
  ["another emulator", { CLOUDVOICE_BASE_URL: local, CLOUDVOICE_API_KEY: " emulator-1" }, {}, undefined],
  ["an address", { CLOUDVOICE_BASE_URL: service }, {}, `CLOUDVOICE_BASE_URL is ${service}`],
  ["an address of one", { CLOUDVOICE_IMAGE_BASE_URL: service }, {}, `CLOUDVOICE_IMAGE_BASE_URL is ${service}`],
  ["no address", { CLOUDVOICE_VOICE_BASE_URL: "a\u001b" }, {}, "CLOUDVOICE_VOICE_BASE_URL is a\\u{1b}"],
  ["a key", { CLOUDVOICE_API_KEY: "sk-1" }, {}, "CLOUDVOICE_API_KEY has a key that is not the emulator's"],
  [
    "a backend",
    { PULUMI_BACKEND_URL: "s3://bucket" },
    {},
    "PULUMI_BACKEND_URL names a backend that is not this project's own",
  ],
  [
    "an address of the stack",
    {},
    { "cloudvoice:voiceBaseUrl": service },
    `the stack's configuration has the address ${service} (cloudvoice:voiceBaseUrl)`,
  ],
  [
    "a secret address",
    {},
    { "cloudvoice:baseUrl": { secure: "v1:x" } },
    "the stack's configuration has an address that is secret (cloudvoice:baseUrl)",
  ],
  [
    "a key of the stack",
    {},
    { "cloudvoice:apiKey": { secure: "v1:x" } },
    "the stack's configuration has a key (cloudvoice:apiKey)",
  ],
  ["an emulator of the stack", {}, { "cloudvoice:baseUrl": local, "cloudvoice:apiKey": "emulator-1" }, undefined],
  ["other settings", {}, { "cloudvoice:namespace": "n", "other:baseUrl": service }, undefined],
])("what shows that a command is meant for a service: %s", (_, environment, config, found) => {
  expect(meantForService({ environment, ...(config && { config }) })).toBe(found);
});
