import { execFileSync } from "node:child_process";
import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { InputError } from "../../provider/src/errors";
import { printedOnce, dropErrorsPrintedByEngine, resultError, withoutUndefined } from "../../provider/src/dynamic/host";
import { EngineConnection, engineAddress } from "../../provider/src/engine-alive";
import { InitializationFailed } from "../../provider/src/lifecycle/lifecycle";

/** The workarounds for the SDK's program that runs dynamic providers, each against what that program does today. */

const hostSource = readFileSync(require.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js"), "utf8");

describe("the SDK still behaves as the workarounds expect", () => {
  test("it stores a provider before its configure has ended", () => {
    expect(hostSource).toMatch(/providerCache\[providerString\] = provider;\s+if \(provider\.configure\)/);
  });
  test("it prints an error of check, diff, read and delete as `${error}: ${error.stack}`, and passes it to the engine", () => {
    const prints = [
      ...hostSource.matchAll(/console\.error\(`\$\{e\}: \$\{e\.stack\}`\);\s+callback\(e, undefined\);/g),
    ];
    expect(prints).toHaveLength(4);
  });
  test("it passes on only the message of an error of create and update, and its id, properties and reasons", () => {
    expect(hostSource.match(/const response = grpcResponseFromError\(e\)/g)).toHaveLength(2);
    expect(hostSource).toMatch(/resp\.setMessage\(e\.message\)/);
    expect(hostSource).toMatch(
      /detail\.setProperties\(structproto\.Struct\.fromJavaScript\(e\.properties \|\| \{\}\)\)/,
    );
  });
  test("its conversion of results fails at undefined", () => {
    // In a process of its own: under Jest, the library sees objects of another realm.
    const script = `
      const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
      try { Struct.fromJavaScript({ a: undefined }); console.log("converted"); } catch (error) { console.log(error.message); }`;
    expect(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" })).toMatch(/^Unexpected struct type/);
  });
});

describe("the engine's address", () => {
  test.each<[what: string, args: string[], address: string | undefined]>([
    ["is the argument", ["127.0.0.1:4711"], "127.0.0.1:4711"],
    ["comes after the options of --logflow -v", ["-logtostderr", "-v=9", "127.0.0.1:4711"], "127.0.0.1:4711"],
    ["comes after --tracing and its address", ["-tracing", "127.0.0.1:9411", "127.0.0.1:4711"], "127.0.0.1:4711"],
    ["is absent without an engine", ["--some", "thing"], undefined],
  ])("%s", (_, args, address) => {
    expect(engineAddress(["node", "script", ...args])).toBe(address);
  });
});

test("nothing is paid for once the engine has exited", async () => {
  const connections: ServerHttp2Session[] = [];
  const engine = createServer().on("session", (session) => connections.push(session));
  await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
  const { assertAlive } = new EngineConnection(`127.0.0.1:${(engine.address() as AddressInfo).port}`);
  await Promise.all([assertAlive(), assertAlive()]);
  await assertAlive();
  const made = connections.length;
  for (let voice = 0; voice < 20; voice++) await assertAlive();
  expect(connections).toHaveLength(made);

  // As the system does when the process is killed.
  for (const connection of connections) connection.destroy();
  await new Promise((resolve) => engine.close(resolve));
  await expect(assertAlive()).rejects.toThrow(/engine has exited.*not sent/);
  await new EngineConnection(undefined).assertAlive();
});

test("an expected failure is printed once, by the engine, and other errors stay as they are", () => {
  const printed: unknown[][] = [];
  const target = { error: (...args: unknown[]) => void printed.push(args) };
  dropErrorsPrintedByEngine(target);

  const expected = printedOnce(new InputError("a bad input")) as Error;
  expect(expected.message).toBe("a bad input");
  // As the SDK's program prints it.
  target.error(`${expected.toString()}: ${expected.stack ?? ""}`);
  const bug = new TypeError("a bug");
  expect(printedOnce(bug)).toBe(bug);
  target.error(`${bug.toString()}: the stack`);
  expect(printed).toEqual([["TypeError: a bug: the stack"]]);
});

const saved = (state: object) => withoutUndefined(state as Record<string, unknown>);

test("an incomplete resource is saved with its outputs and the text of its provider", () => {
  const failed = new InitializationFailed("id", { a: 1, b: undefined }, "not yet");
  expect(resultError(failed, { __provider: "text" }, saved)).toMatchObject({
    message: "not yet",
    id: "id",
    properties: { a: 1, __provider: "text" },
    reasons: ["not yet"],
  });
});

test("an error of create that nobody expected carries its stack in the message, which is all that the engine shows", () => {
  expect((resultError(new TypeError("a bug"), {}, saved) as Error).message).toMatch(
    /^unexpected: TypeError: a bug\n\s+at /,
  );
  const expected = new InputError("a bad input");
  expect(resultError(expected, {}, saved)).toBe(expected);
});

test("undefined values are left out at any depth", () => {
  expect(withoutUndefined({ a: undefined, b: { c: undefined, d: [1] } })).toEqual({ b: { d: [1] } });
});
