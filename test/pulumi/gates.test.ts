import { gatesBefore, gatesOf } from "../../provider/src/program/identity";
import { keepGates } from "../../provider/src/lifecycle/layers";
import type { AnyLifecycle } from "../../provider/src/lifecycle/lifecycle";
import { Checks } from "../../provider/src/lifecycle/checks";
import { resource } from "../support/holders";

/** What a program tells of a gate and the resources behind it. */
const behind = (...others: object[]) => ({ __gates: gatesOf({ dependsOn: others as never }) });
const gate = { __gates: [{ label: Promise.resolve("gate"), provider: undefined }] };

test("a gate is told once, however many resources at however many levels are between", async () => {
  let level: object[] = [gate];
  for (let depth = 0; depth < 40; depth++) level = [behind(...level), behind(...level), behind(...level)];
  expect(await gatesBefore({ dependsOn: level as never })).toEqual(["gate"]);
});

test("the gate of another provider is not told, because its process does not serve this resource", async () => {
  const elsewhere = { __gates: [{ label: Promise.resolve("elsewhere"), provider: {} }] };
  expect(await gatesBefore({ dependsOn: [behind(gate), behind(elsewhere)] as never })).toEqual(["gate"]);
});

test.each<[string, object]>([
  ["one provider", { provider: {} }],
  ["a list of providers", { providers: [{ getPackage: () => "aws" }, { getPackage: () => "cloudvoice" }] }],
  ["providers by their packages", { providers: { cloudvoice: {} } }],
])("a catalog with %s is told the gates of that provider, and no others", async (_, given) => {
  const options = given as { provider?: object; providers?: Record<string, object> | object[] };
  const own =
    options.provider ?? (Array.isArray(options.providers) ? options.providers[1] : options.providers?.cloudvoice);
  const theirs = { __gates: [{ label: Promise.resolve("theirs"), provider: own }] };
  expect(await gatesBefore({ ...given, dependsOn: [gate, theirs] as never })).toEqual(["theirs"]);
});

describe("a resource behind a gate", () => {
  const urnOf = (name: string, parent = "") => `urn:pulumi:dev::p::${parent}t::${name}`;
  const judged = resource(urnOf("risk"));
  const elsewhere = resource(urnOf("risk", "parent$"));
  const checked = { inputs: {}, failures: [] };
  const behindGate = { ...resource(urnOf("v")), identity: { urn: urnOf("v"), gates: [judged.label] } };

  test.each<[what: string, asked: object, olds: object | undefined, isRefused: boolean]>([
    ["is created after the gate", judged, undefined, false],
    ["is not created if the run omits the gate", elsewhere, undefined, true],
    ["stays if the run omits the gate", elsewhere, {}, false],
  ])("%s", async (_, asked, olds, isRefused) => {
    const checks = new Checks();
    checks.declare(asked as typeof judged, true);
    const inner = { check: () => Promise.resolve(checked) } as unknown as AnyLifecycle;
    const { failures } = await keepGates(checks)(inner, "voice").check({}, olds, behindGate, new Set());
    const reason = 'depends on the gate "risk", which --target or --exclude omits. Make the gate a target too';
    expect(failures).toEqual(isRefused ? [{ property: "", reason }] : []);
  });
});
