import type { Emulator } from "../../provider/emulator";
import { pluginStack, writeProgram } from "../../tools/plugin-stack";
import { cloudvoice } from "../support/cloudvoice";
import { held, listed } from "../support/held";
import { emulate } from "../support/emulate";
import { temporaryFolder } from "../support/files";
import { hosted, type HostedBackend } from "../support/hosted";
import { Stack } from "../support/stack";

/**
 * `acme/program/dev` and `beta/program/dev` on one account. The default organisation is `acme`, and the work is done in
 * `beta`: it neither takes nor deletes what `acme` holds.
 */

let backend: HostedBackend;
beforeEach(async () => {
  backend = await hosted({ defaultOrganization: "acme" });
});

const classes = (emulator: Emulator, organization: string) =>
  Stack.create(emulator, { ...backend.env }, `${organization}/dev`);

async function plugin(emulator: Emulator, organization: string) {
  const stack = await pluginStack(temporaryFolder(), emulator, {
    settings: { ...backend.env },
    name: `${organization}/dev`,
  });
  const properties = { targetModel: "svc3-tts-vc-2026-01-22", audio: "a.wav" };
  writeProgram(stack.folder, { resources: { narrator: { type: "cloudvoice:CloudVoice", properties } } });
  return stack;
}

const voice = (name: string, fields = "") =>
  `new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav", ${fields} });`;
test("`v` of `acme` keeps its voice when `v` or `w` of `beta` adopts it and is taken out", async () => {
  const emulator = await emulate();
  const acme = await classes(emulator, "acme");
  const beta = await classes(emulator, "beta");
  await acme.ok(acme.program(voice("v")).up());
  const [mine] = await held(acme);
  for (const name of ["v", "w"]) {
    const adopted = await beta.program(voice(name, `adopt: "${String(mine)}"`)).up();
    const takenOut = await beta.ok(beta.program("").up());
    expect(listed(emulator)).toEqual([mine]);
    expect(adopted.output + takenOut.output).toMatch(/v of the stack acme\/(program\/)?dev/);
  }
  await acme.ok(acme.refresh("--expect-no-changes"));
});

test("the plugin: `up` on `acme`, `up` on `beta`, `destroy` on `beta`: each has a voice of its own, and `acme` keeps it", async () => {
  const emulator = await emulate();
  const acme = await plugin(emulator, "acme");
  const beta = await plugin(emulator, "beta");
  await acme.ok(acme.up());
  const mine = await held(acme);
  await beta.ok(beta.up());
  expect(await held(beta)).not.toEqual(mine);
  await beta.ok(beta.destroy());
  expect(listed(emulator)).toEqual(mine);
  await acme.ok(acme.refresh("--expect-no-changes"));
});

test("each command works on the selected stack of `beta`, and reads that one", async () => {
  const emulator = await emulate();
  const acme = await classes(emulator, "acme");
  const beta = await classes(emulator, "beta");
  await acme.ok(acme.program(voice("of-acme")).up());
  await beta.ok(beta.program(voice("of-beta")).up());
  for (const [command, code] of [
    ["review --drift --json", 0],
    ["voices --orphans --json", 0],
    ["doctor --json", 0],
    ["review --json", 2],
  ] as const) {
    const run = await cloudvoice(code === 2 ? beta.program(voice("new")) : beta, command.split(" "));
    expect([command, run]).toMatchObject([command, { code }]);
    expect(run.stdout + run.stderr).not.toMatch(/of-acme|no stack named|not found/);
  }
});
