import { gatesBefore, gatesOf } from "../../provider/src/pulumi/program/identity";

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
