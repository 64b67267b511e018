import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { putRecordings, type Stack } from "../../tools/stack";
import { listed } from "../support/held";
import { emulate } from "../support/emulate";
import { recordings, temporaryFolder } from "../support/files";
import { outputOf } from "../support/stack";
import { until } from "../support/until";

/** The options of the engine on a `VoiceSet`, and what goes wrong on the way. The table in docs/voice-set.md names them. */

const targetModel = "svc3-tts-vc-2026-01-22";
const three = { narrator: { audio: "a.wav" }, support: { audio: "b.mp3" }, news: { audio: "c.m4a" } };

function write({ folder }: Stack, voices: object, options: object = {}, name = "voices"): void {
  const set = { type: "cloudvoice:VoiceSet", properties: { defaults: { targetModel }, voices }, options };
  const more = { type: "cloudvoice:VoiceSet", properties: { voices: {} } };
  const outputs = { manifest: `\${${name}.manifest}` };
  writeProgram(folder, { resources: { more, [name]: set }, outputs });
}

async function held(stack: Stack): Promise<Record<string, string>> {
  const { manifest } = (await stack.outputs()) as { manifest: Record<string, { voice: string }> };
  return Object.fromEntries(Object.entries(manifest).map(([key, { voice }]) => [key, voice]));
}

const urnOf = async (stack: Stack, name: string) =>
  (await stack.resources()).find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";

test("a full account, ignoreChanges, --target, aliases, Ctrl-C and deletedWith", async () => {
  const emulator = await emulate({ voiceQuota: 3 });
  const settings = { CLOUDVOICE_SETTLE_SECONDS: "0.05", CLOUDVOICE_VOICE_QUOTA: "3" };
  const stack = await pluginStack(temporaryFolder(), emulator, { settings });
  const creates = () => emulator.summary().calls.create ?? 0;
  write(stack, three);
  await stack.ok(stack.up());
  const first = await held(stack);

  // At 3 of 3, the old voice goes first, and the preview says so.
  const other = { ...three, narrator: { audio: "c.m4a" } };
  write(stack, other);
  expect((await stack.ok(stack.preview())).output).toMatch(
    /no room for the old and the new voices together: 1 of 1 old voices are deleted/,
  );
  const calls = emulator.ledger().length;
  await stack.ok(stack.up());
  const changes = emulator.ledger().slice(calls);
  expect(changes.map(({ action }) => action).filter((action) => action !== "list")).toEqual(["delete", "create"]);
  const second = await held(stack);
  expect(second).toEqual({ ...first, narrator: expect.not.stringMatching(first.narrator ?? "") as string });

  write(stack, three, { ignoreChanges: ["voices.narrator.audio"] });
  await stack.ok(stack.preview("--expect-no-changes"));
  // Other bytes under the same path.
  copyFileSync(recordings.otherMp3, join(stack.folder, "b.mp3"));
  write(stack, other, { ignoreChanges: ["voices.*.audioSha256"] });
  await stack.ok(stack.preview("--expect-no-changes"));
  putRecordings(stack.folder);

  write(stack, three);
  await stack.ok(stack.up("--target", await urnOf(stack, "more")));
  expect(creates()).toBe(4);

  // Under another name, all voices stay.
  write(stack, other, { aliases: [{ name: "voices" }] }, "renamed");
  await stack.ok(stack.up());
  expect([await held(stack), creates()]).toEqual([second, 4]);
  await stack.ok(stack.preview("--expect-no-changes"));

  // Ctrl-C while the first of two changes is under way: it is saved, and the other is not sent.
  const two = { ...other, support: { audio: "a.wav" }, news: { audio: "b.mp3", language: "en" } };
  write(stack, two, {}, "renamed");
  const release = emulator.hold("create");
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(child);
  await until(() => emulator.underWay("create") === 1);
  child.kill("SIGINT");
  await until(() => /[Cc]ancel/.test(output()));
  release();
  expect((await done).code).not.toBe(0);
  expect(creates()).toBe(5);
  await stack.ok(stack.up());
  expect(creates()).toBe(6);
  const last = await held(stack);
  expect(last).toMatchObject({ narrator: second.narrator });

  write(stack, two, { deletedWith: "${more}" }, "renamed");
  await stack.ok(stack.up());
  await stack.ok(stack.destroy());
  expect(listed(emulator)).toEqual(Object.values(last).sort());
});
