import { kinds } from "./kinds";

/** What the main process asks of a worker: runs, or one of them shrunk. */
export interface Task {
  kind: keyof typeof kinds;
  from: number;
  /** How many runs. */
  count: number;
  shrinks?: boolean;
  mistake: string | undefined;
}

export interface TaskResult {
  compared: number;
  failures: { seed: number; violation: string }[];
  /** The shrunk run. */
  text?: string;
}

async function perform({ kind, from, count, shrinks, mistake }: Task): Promise<TaskResult> {
  const result: TaskResult = { compared: 0, failures: [] };
  if (shrinks) return { ...result, text: await kinds[kind].shrunk(from, mistake) };
  for (let seed = from; seed < from + count; seed++) {
    const { violations, compared = 0 } = await kinds[kind].run(seed, mistake);
    result.compared += compared;
    if (violations[0] !== undefined) result.failures.push({ seed, violation: violations[0] });
  }
  return result;
}

// In a child process of tools/simulate.ts.
process.on("message", (task: Task) => void perform(task).then((result) => process.send?.(result)));
