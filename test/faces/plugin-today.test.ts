import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../provider/package.json";
import { pluginFolder, writeProgram } from "../../tools/plugin-stack";
import { held, listed } from "../support/held";
import { resourceNamed, targetModel, voice, yamlStack } from "./yaml-stack";

/** What today's engine offers beyond `up` and `destroy`, with the native plugin. */

test("pulumi do: lists voices, asks functions, creates one voice for two equal commands, and deletes it", async () => {
  const { emulator, stack } = await yamlStack();
  emulator.seedVoices("default", 2, { preferredName: "by_hand" });
  const stateless = ["do", "--package", pluginFolder, "--stateless"];
  const run = async (...args: string[]) => (await stack.ok(stack.pulumi(...stateless, ...args))).stdout;
  const list = async (...args: string[]) =>
    (JSON.parse(await run("cloudvoice:index:CloudVoice", "list", "--all", ...args)) as { id: string; name: string }[])
      .map(({ id }) => id)
      .sort();

  expect(await list()).toEqual(listed(emulator));
  expect(await list("--target-model", "svc3-tts-vc-realtime-2026-01-15")).toEqual([]);
  expect(JSON.parse(await run("cloudvoice:getVoices"))).toMatchObject({ total: 2, remaining: 998 });

  const create = ["cloudvoice:index:CloudVoice", "create", "--target-model", targetModel, "--audio", "a.wav", "--yes"];
  await run(...create, "--dry-run");
  expect(emulator.summary().voicesBilled).toBe(0);
  await run(...create);
  await run(...create);
  expect(emulator.summary()).toMatchObject({ voicesBilled: 1 });
  const [made = ""] = (await list()).filter((id) => !id.includes("by_hand"));
  await run("cloudvoice:index:CloudVoice", "delete", made, "--yes");
  expect(listed(emulator)).toHaveLength(2);
});

test("pulumi do with a state: a second command pays for a change only, a program keeps the voice, and delete removes it", async () => {
  const { emulator, stack } = await yamlStack();
  // With a state, the engine takes a package by its name only.
  const installed = join(String(stack.env.PULUMI_HOME), "plugins", `resource-cloudvoice-v${version}`);
  mkdirSync(dirname(installed), { recursive: true });
  symlinkSync(pluginFolder, installed);
  const command = ["do", "--package", `cloudvoice@${version}`, "cloudvoice:index:CloudVoice"];
  const run = (name: string, ...args: string[]) => stack.pulumi(...command, name, "narrator", "--yes", ...args);
  const recording = ["--target-model", targetModel, "--audio", "a.wav"];
  const billed = () => emulator.summary().voicesBilled;

  await stack.ok(run("create", ...recording));
  expect(await held(stack)).toEqual(listed(emulator));
  expect((await run("create", ...recording)).output).toContain("already exists");
  await stack.ok(run("upsert", ...recording));
  expect(billed()).toBe(1);
  await stack.ok(run("patch", "--language", "de"));
  expect(billed()).toBe(2);
  await stack.ok(stack.up());
  expect(await held(stack)).toEqual(listed(emulator));
  expect(listed(emulator)).toHaveLength(1);
  await stack.ok(run("delete"));
  expect([await held(stack), listed(emulator)]).toEqual([[], []]);
  expect(billed()).toBe(2);
});

test("update plans, --exclude and --target-dependents pay for what they name, and for nothing twice", async () => {
  const names = ["one", "two", "three"];
  const resources = Object.fromEntries(names.map((name) => [name, voice({ triggers: [name] })]));
  const { emulator, stack } = await yamlStack(resources);
  const billed = () => emulator.summary().voicesBilled;

  await stack.ok(stack.preview("--save-plan", "plan.json"));
  expect(readFileSync(join(stack.folder, "plan.json"), "utf8")).not.toContain(emulator.apiKey);
  const urn = (name: string) => `urn:pulumi:dev::program::cloudvoice:index:CloudVoice::${name}`;
  await stack.ok(stack.up("--exclude", urn("three")));
  expect(billed()).toBe(2);
  await stack.ok(stack.up("--plan", "plan.json"));
  expect(billed()).toBe(3);
  // The plan does not allow a replacement.
  writeProgram(stack.folder, { resources: { ...resources, one: voice({ triggers: ["changed"] }) } });
  expect((await stack.up("--plan", "plan.json")).code).not.toBe(0);
  expect(billed()).toBe(3);

  // The dependents of a target are destroyed with it.
  writeProgram(stack.folder, {
    resources: { ...resources, two: voice({ triggers: ["two"] }, { dependsOn: ["${one}"] }) },
  });
  await stack.ok(stack.up());
  await stack.ok(stack.destroy("--target", urn("one"), "--target-dependents"));
  expect(await held(stack)).toEqual(listed(emulator));
  expect(listed(emulator)).toHaveLength(1);
});

test("state taint and state rename: the voice stays, and is not paid for again", async () => {
  const { emulator, stack } = await yamlStack({ narrator: voice() });
  await stack.ok(stack.up());
  const [voiceBefore] = listed(emulator);

  // A taint without another content keeps a voice younger than a day.
  const { urn } = await resourceNamed(stack, "narrator");
  await stack.ok(stack.pulumi("state", "taint", urn, "--yes"));
  await stack.ok(stack.up());
  expect(listed(emulator)).toEqual([voiceBefore]);

  await stack.ok(stack.pulumi("state", "rename", urn, "speaker", "--yes"));
  writeProgram(stack.folder, { resources: { speaker: voice() } });
  await stack.ok(stack.preview("--expect-no-changes"));
});
