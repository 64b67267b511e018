import type { Emulator } from "../../provider/src/emulator";
import { emulate } from "../support/emulate";
import { cloudvoice } from "../support/cloudvoice";
import { said, Stack } from "../support/stack";

/** Preview compares the planned voices with the quota of the account before anything is billed. */

let emulator: Emulator;
let stack: Stack;
async function setUp(options: Parameters<typeof emulate>[0] = {}) {
  emulator = await emulate(options);
  stack = await Stack.create(emulator, { CLOUDVOICE_VOICE_QUOTA: "5" });
}
beforeEach(() => setUp());
const billed = () => emulator.summary().voicesBilled;
const many = (count: number, opts = "{}", fields = "") =>
  stack.program(`
    for (let i = 0; i < ${count}; i++)
      new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav", ${fields} }, ${opts});`);

test("a preview over the quota fails once, with the numbers and the options, after one list call", async () => {
  emulator.seedVoices("default", 3);
  const run = await many(4).preview();
  expect(run.code).not.toBe(0);
  expect(said(run, "the account is too small for this update")).toBe(1);
  expect(run.output).toMatch(
    /it has 3 voices, and with 3 to create so far the update needs 6 at its peak; the quota is 5\. .*deleteBeforeReplace.*voiceQuota.*quotaCheck/,
  );
  expect(emulator.summary().calls).toEqual({ list: 1 });
});

test("voices within the quota pass, and existing voices are not counted twice", async () => {
  emulator.seedVoices("default", 1);
  await stack.ok(many(4).preview());
  await stack.ok(stack.up());
  await stack.ok(stack.preview());
  expect(billed()).toBe(4);
});

test("a voice that a create would reuse or adopt does not count as new", async () => {
  await stack.ok(many(4).up());
  // The state is as if the run had been killed before the engine saved anything.
  await stack.ok(stack.pulumi("stack", "export", "--file", "kept.json"));
  for (const { urn } of (await stack.resources()).slice(0, 3))
    await stack.ok(stack.pulumi("state", "delete", "--yes", urn));
  const [byHand = ""] = emulator.seedVoices("default", 1);
  stack.program(`
    for (let i = 0; i < 4; i++) new cv.CloudVoice("v" + i, { targetModel: model, audio: "a.wav" });
    new cv.CloudVoice("w", { targetModel: model, audio: "a.wav", adopt: ${JSON.stringify(byHand)} });`);
  await stack.ok(stack.pulumi("up", "--yes"));
  expect(billed()).toBe(4);
});

test("quotaCheck set to warn logs one warning, and set to off logs nothing", async () => {
  emulator.seedVoices("default", 5);
  const warned = await stack.ok(many(3).with({ CLOUDVOICE_QUOTA_CHECK: "warn" }).preview());
  expect(said(warned, "warning: the account is too small")).toBe(1);
  const silent = await stack.ok(stack.with({ CLOUDVOICE_QUOTA_CHECK: "off" }).preview());
  expect(silent.output).not.toMatch(/too small/);
});

test("without a key or a service, preview logs one warning and continues; a rejected key is an error", async () => {
  delete stack.env.CLOUDVOICE_API_KEY;
  expect(said(await stack.ok(many(3).preview()), "the quota could not be checked: no API key")).toBe(1);
  const away = await stack.ok(
    stack
      .with({ CLOUDVOICE_API_KEY: "k", CLOUDVOICE_BASE_URL: "http://127.0.0.1:9", CLOUDVOICE_MAX_RETRIES: "0" })
      .preview(),
  );
  expect(said(away, "the quota could not be checked: listing the account's voices failed")).toBe(1);
  const refused = await stack.with({ CLOUDVOICE_API_KEY: "wrong" }).preview();
  expect(refused.code).not.toBe(0);
  expect(refused.output).toMatch(/the key was refused/);
});

test("of two pipelines that need the last place, one fails and reports who holds the voices", async () => {
  await setUp({ voiceQuota: 10 });
  emulator.seedVoices("default", 9, { preferredName: "shop", ageMs: 90 * 24 * 3600 * 1000 });
  const other = await Stack.create(emulator);
  const settings = { CLOUDVOICE_QUOTA_CHECK: "off" };
  many(1);
  other.program(`new cv.CloudVoice("other", { targetModel: model, audio: "b.mp3" });`);
  const runs = await Promise.all([stack.with(settings).up(), other.with(settings).up()]);
  expect(runs.filter((run) => run.code === 0)).toHaveLength(1);
  const failed = runs.find((run) => run.code !== 0);
  expect(failed?.output).toMatch(
    /the account is full: .*\(HTTP 429, Throttling.AllocationQuota, request id .*It holds 10 voices: 9 × shop \(since \d{4}-\d{2}-\d{2}\), 1 × /,
  );
  expect(billed()).toBe(1);
  expect([...(await stack.resources()), ...(await other.resources())]).toHaveLength(1);
});

test("four of four voices are replaced where six have room: in parts, with --target, or with deleteBeforeReplace", async () => {
  await setUp({ voiceQuota: 6 });
  stack.env.CLOUDVOICE_VOICE_QUOTA = "6";
  const edition = (opts: string, ...triggers: number[]) =>
    stack.program(
      triggers
        .map(
          (trigger, i) =>
            `new cv.CloudVoice("v${i}", { targetModel: model, audio: "a.wav", triggers: [${trigger}] }, ${opts});`,
        )
        .join("\n"),
    );
  const targets = (...names: string[]) =>
    names.flatMap((name) => [
      "--target",
      `urn:pulumi:dev::program::pulumi-nodejs:dynamic/cloudvoice:CloudVoice::${name}`,
    ]);
  const expectReplaced = (times: number) => {
    expect(billed()).toBe(4 + 4 * times);
    expect(emulator.voices()).toHaveLength(4);
  };
  await stack.ok(edition("{}", 0, 0, 0, 0).up());
  expect((await edition("{}", 1, 1, 1, 1).preview()).output).toMatch(/the update needs 7 at its peak; the quota is 6/);

  await stack.ok(edition("{}", 1, 1, 0, 0).up());
  await stack.ok(edition("{}", 1, 1, 1, 1).up());
  expectReplaced(1);

  await stack.ok(edition("{}", 2, 2, 2, 2).up(...targets("v0", "v1")));
  await stack.ok(stack.up(...targets("v2", "v3")));
  expectReplaced(2);

  await stack.ok(edition("{ deleteBeforeReplace: true }", 3, 3, 3, 3).up());
  expectReplaced(3);
  await stack.ok(stack.preview("--expect-no-changes"));
});

test("stackQuota bounds the voices of the stack, however many the account has", async () => {
  emulator.seedVoices("default", 3);
  const bounded = stack.with({ CLOUDVOICE_STACK_QUOTA: "2", CLOUDVOICE_VOICE_QUOTA: "1000" });
  many(2);
  await stack.ok(bounded.up());
  await stack.ok(bounded.preview());
  const fails = async (reason: RegExp) => {
    const over = await bounded.up();
    expect(over.code).not.toBe(0);
    expect(over.output).toMatch(reason);
  };
  many(3);
  await fails(
    /the stack .* it has 2, and with 1 to add so far the update needs 3 at its peak; cloudvoice:stackQuota is 2/,
  );
  const review = await cloudvoice(bounded, ["review"]);
  expect([review.code, review.stdout]).toEqual([
    3,
    expect.stringMatching(/5 now, 6 at the peak, 6 after, of 1000; in this stack 2 now, 3 at the peak, 3 after, of 2/),
  ]);

  many(2, "{}", "triggers: [1]");
  await fails(/needs 3 at its peak/);
  many(2, "{ deleteBeforeReplace: true }", "triggers: [1]");
  await stack.ok(bounded.up());
  expect(billed()).toBe(4);
});

test("a catalog changes entry by entry, and its manifest lists what speech programs need", async () => {
  const entries = {
    narrator: `{ audio: "a.wav", language: "en" }`,
    support: `{ audio: "b.mp3", targetModel: "svc3-tts-vc-realtime-2026-01-15" }`,
    guide: `{ audio: "c.m4a", language: undefined }`,
  };
  const catalog = (...keys: (keyof typeof entries)[]) =>
    stack.program(`
      const catalog = new cv.VoiceCatalog("voices", {
        defaults: { targetModel: model, language: "de" },
        voices: { ${keys.map((key) => `${key}: ${entries[key]}`).join(", ")} },
      });
      exports.manifest = catalog.manifest;
      exports.first = catalog.voices.narrator.voice;`);
  await stack.ok(catalog("narrator", "support").up());
  const manifest = async () =>
    JSON.parse((await stack.ok(stack.pulumi("stack", "output", "manifest", "--json"))).stdout) as Record<
      string,
      unknown
    >;
  const before = await manifest();
  expect(before).toEqual({
    narrator: {
      voice: expect.stringContaining("-voice-") as unknown,
      targetModel: "svc3-tts-vc-2026-01-22",
      language: "en",
    },
    support: { voice: expect.any(String) as unknown, targetModel: "svc3-tts-vc-realtime-2026-01-15", language: "de" },
  });
  expect((await stack.resources()).map((resource) => resource.urn.split("::").at(-1)).sort()).toEqual([
    "voices",
    "voices-narrator",
    "voices-support",
  ]);

  await stack.ok(catalog("guide", "support", "narrator").up());
  expect(await manifest()).toMatchObject({ ...before, guide: { language: "de" } });
  await stack.ok(catalog("narrator", "guide").up());
  expect(emulator.summary().calls).toMatchObject({ create: 3, delete: 1 });
  expect((await manifest()).narrator).toEqual(before.narrator);
});

test("getVoices returns the voices and the quota of the account", async () => {
  emulator.seedVoices("default", 2);
  stack.program(`
    exports.account = cv.getVoices();
    exports.of = cv.getVoicesOutput({ targetModel: pulumi.output("svc3-tts-vc-2026-01-22") }).voices.length;
    exports.none = cv.getVoices({ targetModel: "other" }).then(({ voices, total }) => [voices.length, total]);`);
  await stack.ok(stack.up());
  const output = async (name: string) =>
    JSON.parse((await stack.ok(stack.pulumi("stack", "output", name, "--json"))).stdout) as unknown;
  expect(await output("account")).toMatchObject({
    voices: [{ createdAt: expect.any(String) as unknown }, {}],
    total: 2,
    quota: 5,
    remaining: 3,
  });
  expect([await output("of"), await output("none")]).toEqual([2, [0, 2]]);
});
