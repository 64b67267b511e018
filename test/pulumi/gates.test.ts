import { gatesBefore, gatesOf } from "../../provider/src/pulumi/program/identity";

/** What a program tells of a gate and the resources behind it. */
const behind = (...others: object[]) => ({ __gates: gatesOf({ dependsOn: others as never }) });
const gate = { __gates: [{ name: "gate", provider: undefined }] };

test("a gate is told once, however many resources at however many levels are between", () => {
  let level: object[] = [gate];
  for (let depth = 0; depth < 40; depth++) level = [behind(...level), behind(...level), behind(...level)];
  expect(gatesBefore({ dependsOn: level as never })).toEqual(["gate"]);
});

test("the gate of another provider is not told, because its process does not serve this resource", () => {
  const elsewhere = { __gates: [{ name: "elsewhere", provider: {} }] };
  expect(gatesBefore({ dependsOn: [behind(gate), behind(elsewhere)] as never })).toEqual(["gate"]);
});
