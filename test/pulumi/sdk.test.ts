import { readFileSync } from "node:fs";
import * as runtimeConfig from "@pulumi/pulumi/runtime/config";
import * as runtimeState from "@pulumi/pulumi/runtime/state";
import { emptyStackTraces, oncePerProgram } from "../../provider/src/program/sdk";

/** The workarounds for the SDK that a program runs on, each against what the SDK does today. */

describe("the SDK still behaves as the workarounds expect", () => {
  test("it exports functions that its types do not show", () => {
    expect(runtimeConfig).toMatchObject({ isConfigSecret: expect.any(Function) as unknown });
    expect(runtimeState).toMatchObject({ getStore: expect.any(Function) as unknown });
  });
  test("it reads the stack of a new Error for the trace that it writes into the state, and for each registered output", () => {
    const sourceOf = (file: string) => readFileSync(require.resolve(`@pulumi/pulumi/${file}.js`), "utf8");
    expect(sourceOf("resource")).toMatch(/const stackTrace = new Error\(\)\.stack/);
    expect(sourceOf("runtime/debuggable")).toMatch(/value: new Error\(\)\.stack/);
  });
});

test("while traces are off a stack is empty, and an error thrown meanwhile still has its own", () => {
  const restore = emptyStackTraces();
  const during = new Error("during");
  const stack = String(new Error("probe").stack);
  restore();
  expect(stack).toBe("Error: probe");
  expect(new Error("after").stack).toContain("sdk.test.ts");
  expect(during.message).toBe("during");
});

test("a value that belongs to a program is made once per program, and not once per process", () => {
  // As the Automation API runs an inline program.
  const { withLocalStorage } = runtimeState as unknown as { withLocalStorage: <T>(program: () => T) => T };
  let made = 0;
  const get = oncePerProgram(() => ++made);
  const program = () => [get(), get()];
  expect([withLocalStorage(program), withLocalStorage(program)]).toEqual([
    [1, 1],
    [2, 2],
  ]);
});
