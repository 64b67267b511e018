import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endRun, pidFileIn, runToEnd } from "../../actions/src/run-to-end";
import { put, temporaryFolder } from "../support/files";
import { isRunning } from "../support/is-running";
import { until } from "../support/until";

const onLinux = process.platform === "linux" ? test : test.skip;

/** A program that writes the file `ready` once it listens. */
function program(body: string) {
  const folder = temporaryFolder();
  const ready = `require("fs").writeFileSync("ready", String(process.pid));`;
  const file = put(folder, "program.js", `${body}\n${ready}`);
  const command = { name: process.execPath, args: [file], cwd: folder, env: { PATH: process.env.PATH ?? "" } };
  const readyFile = join(folder, "ready");
  // The program may be killed between the creation of the file and the writing of its id.
  const isReady = () => until(() => existsSync(readyFile) && readFileSync(readyFile, "utf8") !== "");
  return { folder, command, isReady };
}

const pidFile = () => pidFileIn(temporaryFolder());
const isLeft = (folder: string, file: string) => isRunning(readFileSync(join(folder, file), "utf8"));

test("the exit code is that of the command", async () => {
  const { command } = program("process.exitCode = 3;");
  expect(await runToEnd(command, pidFile())).toEqual({ code: 3, isCancelled: false });
});

test("a signal of the runner reaches the command once, and is waited for", async () => {
  const { command, folder, isReady } = program(`
    const timer = setInterval(() => {}, 1000);
    process.on("SIGINT", () => { require("fs").appendFileSync("signals", "INT "); clearInterval(timer); });
    process.on("SIGTERM", () => require("fs").appendFileSync("signals", "TERM "));`);
  const ended = runToEnd(command, pidFile());
  await isReady();
  process.emit("SIGHUP"); // the terminal of a runner closes
  process.emit("SIGINT");
  process.emit("SIGTERM"); // 7.5 s later, at a real runner
  expect(await ended).toEqual({ code: 0, isCancelled: true });
  expect(readFileSync(join(folder, "signals"), "utf8")).toBe("INT ");
  expect(process.listenerCount("SIGINT")).toBe(0);
});

/** A program that leaves this command behind. */
const leaving = (name: string, args: string[]) => `
    const child = require("child_process").spawn(${name}, ${JSON.stringify(args)}, { stdio: "ignore" });
    child.unref();
    require("fs").writeFileSync("child", String(child.pid));`;

/** Stands in for the time that a run is given: the test calls what is to be done after it. */
function patience() {
  const due: Record<number, () => void> = {};
  const after = (ms: number, work: () => void) => {
    due[ms] = work;
    return () => undefined;
  };
  return { after, pass: (ms: number) => due[ms]?.() };
}

test("a command that goes on for 4 s is asked a second time", async () => {
  const { command, folder, isReady } = program(`
    let asked = 0;
    setInterval(() => {}, 1000);
    process.on("SIGINT", () => ++asked === 2 ? process.exit(4) : require("fs").writeFileSync("asked", ""));`);
  const { after, pass } = patience();
  const ended = runToEnd(command, pidFile(), after);
  await isReady();
  process.emit("SIGINT");
  await until(() => existsSync(join(folder, "asked")));
  pass(4_000);
  expect(await ended).toEqual({ code: 4, isCancelled: true });
});

onLinux("a command that never ends is killed after 9 s with its children, e.g. the engine", async () => {
  const child = `setInterval(() => {}, 1000); process.on("SIGINT", () => {});`;
  const { command, folder, isReady } = program(child + leaving("process.execPath", ["-e", child]));
  const { after, pass } = patience();
  const ended = runToEnd(command, pidFile(), after);
  await isReady();
  process.emit("SIGINT");
  pass(9_000);
  expect(await ended).toEqual({ code: 1, isCancelled: true });
  // The system removes a killed process a moment after its signal.
  for (const file of ["ready", "child"]) await until(() => !isLeft(folder, file));
});

onLinux("an engine that outlives its command ends with it, so that later steps save a whole journal", async () => {
  const { command, folder } = program(leaving('"sleep"', ["600"]));
  expect(await runToEnd(command, pidFile())).toEqual({ code: 0, isCancelled: false });
  await until(() => !isLeft(folder, "child"));
});

onLinux("a run that has outlived its step, as in a container, is asked to end, and killed after 9 s", async () => {
  const { command, folder, isReady } = program(`
    setInterval(() => {}, 1000);
    process.on("SIGINT", () => require("fs").writeFileSync("asked", ""));`);
  const file = pidFile();
  const ended = runToEnd(command, file);
  await isReady();
  const { after, pass } = patience();
  const over = endRun(file, after);
  await until(() => existsSync(join(folder, "asked")));
  pass(9_000);
  await over;
  expect(await ended).toEqual({ code: 1, isCancelled: false });
  await endRun(file); // Nothing is left.
});

onLinux("a run whose step was killed is ended too, and nobody waits for the step", async () => {
  const { command, folder, isReady } = program("setInterval(() => {}, 1000);");
  const file = pidFile();
  const { pid } = spawn(command.name, command.args, { cwd: folder, detached: true, stdio: "ignore" });
  writeFileSync(file, String(pid));
  await isReady();
  const { after, pass } = patience();
  const over = endRun(file, after);
  await until(() => !isLeft(folder, "ready"));
  pass(9_000);
  await over;
});

test("a command that is not there is an error", async () => {
  const { command } = program("");
  await expect(runToEnd({ ...command, name: "no-such-command" }, pidFile())).rejects.toThrow("ENOENT");
});
