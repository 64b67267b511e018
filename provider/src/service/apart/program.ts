/** The program of the child process of {@link ApartProcess}. It runs the tasks that the parent sends. */
import { Worker } from "node:worker_threads";
import { describeThrown } from "../../describe-thrown";
import type { Answer, Task } from "./apart";
import { tasks } from "./tasks";

/**
 * The code of a guard thread. It ends the process when stdin closes, because the parent is gone, or when the process
 * uses more megabytes than its last argument allows (the limits of Node.js cover the heap alone). The guard needs a
 * thread of its own, because a library may block the main thread forever. The code is a string, because a single
 * executable can't load a second file.
 */
const guard = `
  const { read } = require("node:fs");
  const mostBytes = Number(process.argv.at(-1)) * 2 ** 20;
  const end = () => process.kill(process.pid, "SIGKILL");
  read(0, Buffer.alloc(1), 0, 1, null, end);
  setInterval(() => process.memoryUsage.rss() > mostBytes && end(), 100);`;

new Worker(guard, { eval: true, argv: process.argv.slice(2) }).unref();

process.on("message", ({ name, content }: Task) => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const answer = (answered: Answer) => process.send?.(answered);
  void tasks[name](bytes).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ problem: describeThrown(error).message }),
  );
});
