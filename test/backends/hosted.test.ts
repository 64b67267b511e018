import { join } from "node:path";
import { cloudvoice } from "../support/cloudvoice";
import { held, listed } from "../support/held";
import { emulate } from "../support/emulate";
import { type HostedBackend, startHostedBackend } from "../../tools/hosted-backend";
import { killCommandLine, Stack } from "../support/stack";
import { until } from "../support/until";

/** Stacks with their state in Pulumi's hosted backend, for which a stand-in takes the place (tools/hosted-backend.ts). */

const backends: HostedBackend[] = [];
afterEach(async () => {
  await Promise.all(backends.splice(0).map((backend) => backend.close()));
});
async function hosted(): Promise<HostedBackend> {
  const backend = await startHostedBackend();
  backends.push(backend);
  return backend;
}

const declared = (...names: string[]) =>
  names.map((name) => `new cv.CloudVoice("${name}", { targetModel: model, audio: "a.wav" });`).join("\n");

test("up, refresh, replace and destroy: the package asks for no state, and the state has no key", async () => {
  const backend = await hosted();
  const emulator = await emulate();
  const stack = await Stack.create(emulator, { ...backend.env }, "acme/dev");
  await stack.ok(stack.pulumi("config", "set", "--secret", "cloudvoice:apiKey", emulator.apiKey));
  const configured = stack.with({ CLOUDVOICE_API_KEY: "" });

  const callsBefore = backend.calls.length;
  await configured.ok(configured.program(declared("a", "b")).up());
  // This is the engine's own.
  const asked = backend.calls.slice(callsBefore).filter((call) => /\/(export|decrypt)$/.test(call));
  expect(asked).toEqual(["GET /api/stacks/acme/program/dev/export"]);
  await configured.ok(configured.up("--refresh", "--expect-no-changes"));
  expect(await held(stack)).toEqual(listed(emulator));
  expect(JSON.stringify(backend.deployment("acme/program/dev"))).not.toContain(emulator.apiKey);

  await configured.ok(configured.program(declared("a", "b").replace("a.wav", "b.mp3")).up());
  expect(emulator.summary().calls).toMatchObject({ create: 3, delete: 1 });
  expect(await held(stack)).toEqual(listed(emulator));
  await configured.ok(configured.destroy());
  expect([listed(emulator), await held(stack)]).toEqual([[], []]);
});

test("a run that is killed keeps its lease and its pending creates: a second run is refused, and `pulumi-cloudvoice up` pays once", async () => {
  const backend = await hosted();
  const emulator = await emulate();
  const settings = { ...backend.env, CLOUDVOICE_SETTLE_SECONDS: "3", CLOUDVOICE_REQUEST_TIMEOUT_SECONDS: "3" };
  const stack = await Stack.create(emulator, settings, "acme/dev");
  const release = emulator.hold("create");
  const { child, done } = stack.program(declared("a", "b", "c")).start(["up", "--yes", "--skip-preview"]);
  await until(() => emulator.underWay("create") === 3);
  expect((await stack.up()).output).toMatch(/Another update is currently in progress/);
  killCommandLine(child);
  release();
  await done;
  expect((await stack.up()).output).toMatch(/Another update is currently in progress/);
  await stack.ok(stack.pulumi("cancel", "--yes"));
  expect(backend.deployment("acme/program/dev")?.pending_operations).toHaveLength(3);

  // On another machine, so only the state knows of the interrupted creates.
  const elsewhere = stack.with({ XDG_STATE_HOME: join(stack.folder, ".state-of-another-machine") });
  expect(await cloudvoice(elsewhere, ["up", "--stack", "acme/dev"])).toMatchObject({ code: 0 });
  expect(emulator.summary().voicesBilled).toBe(3);
  expect(await held(stack)).toEqual(listed(emulator));
});

test("a bare name is a stack of the default organisation, and two stacks of one name in two organisations are apart", async () => {
  const backend = await hosted();
  const emulator = await emulate();
  const acme = await Stack.create(emulator, { ...backend.env }, "dev");
  const beta = await Stack.create(emulator, { ...backend.env }, "beta/dev");
  await acme.ok(acme.program(declared("a")).up());
  await beta.ok(beta.program(declared("b")).up());
  expect(await held(acme)).not.toEqual(await held(beta));
  expect([...(await held(acme)), ...(await held(beta))].sort()).toEqual(listed(emulator));
  const names = backend.deployment("acme/program/dev")?.resources?.map(({ urn }) => urn.split("::").at(-1));
  expect(names).toContain("a");
  expect(names).not.toContain("b");
  await acme.ok(acme.destroy());
  expect(listed(emulator)).toEqual(await held(beta));
});

test("a voice moves to a stack of another organisation, is lost and found missing there, and commands see both stacks", async () => {
  const backend = await hosted();
  const emulator = await emulate();
  const settings = { ...backend.env, CLOUDVOICE_SETTLE_SECONDS: "1" };
  const acme = await Stack.create(emulator, settings, "acme/dev");
  const beta = await Stack.create(emulator, settings, "beta/live");
  await acme.ok(acme.program(declared("a", "b")).up());
  const moved = (await acme.resources()).find(({ urn }) => urn.endsWith("::a"));
  const stacks = ["--source", "acme/program/dev", "--dest", "beta/program/live"];
  await acme.ok(acme.pulumi("state", "move", "--yes", ...stacks, String(moved?.urn)));
  await beta.ok(beta.program(declared("a")).up("--expect-no-changes"));
  await acme.ok(acme.program(declared("b")).up("--expect-no-changes"));
  expect([(await held(beta)).length, emulator.summary().voicesBilled]).toEqual([1, 2]);

  // A voice that a stack of the other organisation holds is no orphan, and the command does not delete it.
  const orphans = await cloudvoice(acme, ["voices", "--orphans", "--json"]);
  expect(orphans.stdout).not.toContain(String(moved?.id));
  expect((await cloudvoice(acme, ["delete", String(moved?.id)], "y\n")).code).toBe(1);
  expect(listed(emulator)).toContain(moved?.id);

  emulator.vanish("default", String(moved?.id));
  const drift = await cloudvoice(beta, ["review", "--drift", "--exit-code"]);
  expect([drift.code, drift.stdout]).toEqual([2, expect.stringContaining(String(moved?.id))]);
  await beta.ok(beta.up("--refresh"));
  expect(emulator.summary().voicesBilled).toBe(3);
  await beta.ok(beta.destroy());
  expect(listed(emulator)).toEqual(expect.arrayContaining(await held(acme)));
});
