import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pLimit from "p-limit";
import type { Results } from "./tasks";

export interface Task {
  name: keyof Results;
  content: Uint8Array;
}
export type Answer = { value: unknown } | { problem: string };

const bounds = {
  /** The time limit for one file. To measure an ordinary file of 10 MB takes a second. */
  ms: 20_000,
  /** After the child was stopped this many times, no further file is tried. */
  stops: 3,
};
const megabytes = { heap: 512, process: 1536 };
/** The process is ended when it has been idle for this time. Until then, further files use the same process. */
const mostIdleMs = 5000;

/** If a single executable is started with this argument, it runs program.ts. */
export const apartArgument = "--apart";

/** Runs third-party libraries on untrusted files. */
export interface Apart {
  /** Resolves with undefined if the task was stopped or could not be started. Rejects if the library failed. */
  run<Name extends keyof Results>(name: Name, content: Buffer): Promise<Results[Name] | undefined>;
}

/**
 * A child process in which third-party libraries read untrusted files. A crafted file may make a library loop forever
 * or fill the memory. A thread would not help: if a thread fills the memory, Node.js ends the whole process. The child
 * does not inherit environment variables, so it can't read the API key.
 */
export class ApartProcess implements Apart {
  private child: ChildProcess | undefined;
  private stops = 0;
  private idle: NodeJS.Timeout | undefined;
  private readonly oneByOne = pLimit(1);

  constructor(
    private readonly start: () => ChildProcess = startProgram,
    private readonly most = bounds,
  ) {}

  run<Name extends keyof Results>(name: Name, content: Buffer): Promise<Results[Name] | undefined> {
    return this.oneByOne(async () => {
      const answer = this.stops < this.most.stops ? await this.ask({ name, content }) : undefined;
      if (answer !== undefined && "problem" in answer) throw new Error(answer.problem);
      return answer?.value as Results[Name] | undefined;
    });
  }

  private async ask(task: Task): Promise<Answer | undefined> {
    clearTimeout(this.idle);
    const child = this.started();
    const answer = child && (await answerOf(child, task, this.most.ms));
    if (answer !== undefined) {
      this.idle = setTimeout(() => this.end(), mostIdleMs).unref();
      return answer;
    }
    this.stops++;
    this.end();
    return undefined;
  }

  private started(): ChildProcess | undefined {
    if (this.child?.connected) return this.child;
    try {
      // Ignore the `error` event: `answerOf` handles a child that failed to start or has ended.
      return (this.child = this.start().on("error", () => undefined));
    } catch {
      // The system refused to start a process.
      return undefined;
    }
  }

  private end(): void {
    this.child?.kill("SIGKILL");
    this.child = undefined;
  }
}

function startProgram(): ChildProcess {
  // In a single executable, the file of this code is the executable itself.
  const isExecutable = __filename === process.execPath;
  const child = fork(isExecutable ? apartArgument : join(__dirname, "apart.js"), [String(megabytes.process)], {
    env: { NODE_OPTIONS: `--max-old-space-size=${megabytes.heap}` },
    execArgv: [],
    serialization: "advanced",
    // When this process ends, the child's stdin is closed, and program.ts then ends the child.
    stdio: ["pipe", "ignore", "ignore", "ipc"],
  });
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  return child;
}

/** Resolves with undefined if the child ends or takes too long. While it works, the child keeps this process alive. */
async function answerOf(child: ChildProcess, task: Task, mostMs: number): Promise<Answer | undefined> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const stop = () => waiting.abort();
  const timer = setTimeout(stop, mostMs);
  child.ref();
  child.channel?.ref();
  try {
    const answered = once(child, "message", { signal }).then(([answer]) => answer as Answer);
    const ended = once(child, "exit", { signal }).then(() => undefined);
    child.send(task, (error) => error !== null && stop());
    return await Promise.race([answered, ended]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    stop();
    child.unref();
    child.channel?.unref();
  }
}
