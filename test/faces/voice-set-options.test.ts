import { writeProgram } from "../../tools/plugin-stack";
import { putRecordings } from "../../tools/stack";
import { listed } from "../support/held";
import { outputOf, type Stack } from "../support/stack";
import { until } from "../support/until";
import { recordAgain, resourceNamed, targetModel, yamlStack } from "./yaml-stack";

/** The options of the engine on a `VoiceSet`, and what goes wrong on the way. The table in docs/voice-set.md names them. */

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

test("ignoreChanges, --target, aliases, Ctrl-C and deletedWith", async () => {
  // In a full account, the changes are made one after the other.
  const { emulator, stack: unlimited } = await yamlStack({}, { voiceQuota: 3 });
  const stack = unlimited.with({ CLOUDVOICE_VOICE_QUOTA: "3" });
  const creates = () => emulator.summary().calls.create ?? 0;
  write(stack, three);
  await stack.ok(stack.up());
  const first = await held(stack);
  const other = { ...three, narrator: { audio: "c.m4a" } };

  write(stack, other, { ignoreChanges: ["voices.narrator.audio"] });
  await stack.ok(stack.preview("--expect-no-changes"));
  // Other bytes under the same path.
  recordAgain(stack);
  write(stack, three, { ignoreChanges: ["voices.*.audioSha256"] });
  await stack.ok(stack.preview("--expect-no-changes"));
  putRecordings(stack.folder);

  write(stack, other);
  await stack.ok(stack.up("--target", (await resourceNamed(stack, "more")).urn));
  expect(creates()).toBe(3);

  // Under another name, all voices stay.
  write(stack, three, { aliases: [{ name: "voices" }] }, "renamed");
  await stack.ok(stack.up());
  expect([await held(stack), creates()]).toEqual([first, 3]);
  await stack.ok(stack.preview("--expect-no-changes"));

  // Ctrl-C while the first of two changes is under way: it is saved, and the other is not sent.
  const two = { ...three, support: { audio: "a.wav" }, news: { audio: "b.mp3", language: "en" } };
  write(stack, two, {}, "renamed");
  const release = emulator.hold("create");
  const { child, done } = stack.start(["up", "--yes", "--skip-preview"]);
  const output = outputOf(child);
  await until(() => emulator.underWay("create") === 1);
  child.kill("SIGINT");
  await until(() => /[Cc]ancel/.test(output()));
  release();
  expect((await done).code).not.toBe(0);
  expect(creates()).toBe(4);
  await stack.ok(stack.up());
  expect(creates()).toBe(5);
  const last = await held(stack);
  expect(last).toMatchObject({ narrator: first.narrator });

  write(stack, two, { deletedWith: "${more}" }, "renamed");
  await stack.ok(stack.up());
  await stack.ok(stack.destroy());
  expect(listed(emulator)).toEqual(Object.values(last).sort());
});
