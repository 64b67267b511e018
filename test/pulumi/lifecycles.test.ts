import type { AnyLifecycle, Layer, Resource } from "../../provider/src/lifecycle/lifecycle";
import { announceChecks, inside } from "../../provider/src/lifecycle/layers";
import { Checks } from "../../provider/src/lifecycle/checks";
import { resource } from "../support/holders";

test("a call passes the first layer of the list first", async () => {
  const passed: string[] = [];
  const named =
    (name: string): Layer =>
    (inner) => ({ ...inner, delete: (...args) => (passed.push(name), inner.delete(...args)) });
  const innermost = { delete: () => Promise.resolve(void passed.push("life cycle")) } as unknown as AnyLifecycle;
  await inside([named("first"), named("second")], "voice", innermost).delete("v", {}, {} as Resource);
  expect(passed).toEqual(["first", "second", "life cycle"]);
});

test("a check announces its resource, whatever the kind and whether or not it succeeds", async () => {
  const checks = new Checks();
  const layer = announceChecks({ checks, assertAddress: () => undefined });
  const failing = { check: () => Promise.reject(new Error("no file")) } as unknown as AnyLifecycle;
  const [gate, other] = ["gate", "other"].map((name) => resource(`urn:pulumi:dev::p::t::${name}`)) as [
    Resource,
    Resource,
  ];
  expect(checks.programRuns).toBe(false);
  await expect(layer(failing, "decision").check({}, undefined, gate, new Set())).rejects.toThrow("no file");
  expect([checks.programRuns, checks.isDeclared(gate), checks.isDeclared(other)]).toEqual([true, true, false]);
});
