import { emulate } from "../support/emulate";
import { newOperation } from "../support/operation";

test("a preview without an address or a key warns once, with both commands, also for images and decisions", () => {
  const nothing = { baseUrl: undefined, apiKey: undefined };
  const { lines } = newOperation({ url: "", apiKey: "" }, nothing);
  expect(lines).toEqual([
    "cloudvoice: warning: the update will fail: no address of the service and no API key are set. " +
      "Run `pulumi config set cloudvoice:baseUrl <address>` and `pulumi config set --secret cloudvoice:apiKey`, " +
      "or set CLOUDVOICE_BASE_URL and CLOUDVOICE_API_KEY.",
  ]);
  expect(newOperation({ url: "https://service.example", apiKey: "k" }).lines).toEqual([]);
  // The plan of a review has the same text, and no warning beside it.
  const planned = newOperation({ url: "", apiKey: "" }, nothing, { environment: { CLOUDVOICE_PLAN: "1" } }).lines;
  expect(planned).toContainEqual(expect.stringMatching(/^cloudvoice-plan: .*the update will fail: no address/));
  expect(planned.join("\n")).not.toContain("warning");
});

test("a preview without a key shows the changes of a stack that has voices, and its process goes on", async () => {
  const { voice } = newOperation(await emulate(), { apiKey: undefined });
  const rejections: unknown[] = [];
  process.on("unhandledRejection", (error) => rejections.push(error));
  const id = "svc3-tts-vc-a_1abcdef-voice-20250812105009984-838b";
  const inputs = {
    targetModel: "svc3-tts-vc-2026-01-22",
    audio: "https://example.com/a.wav",
    preferredName: "a_1abcdef",
  };
  const olds = {
    ...inputs,
    voice: id,
    degraded: false,
    adopted: false,
    createdAt: "2025-08-12T10:50:09.984Z",
    account: "x",
  };
  expect(await voice.diff(id, olds, inputs, new Set())).toEqual({ replaces: [], updates: false });
  await new Promise(setImmediate);
  expect(rejections).toEqual([]);
});
