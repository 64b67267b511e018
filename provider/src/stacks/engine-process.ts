import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";

/** The Pulumi engine that runs this process. */
export interface EngineProcess {
  executable: string;
  /** The engine's working folder, where commands find the project and the backend of this operation. */
  folder: string;
}

/** How many parents are searched for the engine. There may be shells between an engine and its plugin. */
const mostAncestors = 5;

/**
 * Finds the engine among this process's ancestors: the engine starts dynamic providers by a shell script. Undefined
 * without `/proc`. Workaround: the engine tells no provider where its project is. The handshake of a plugin has the
 * folder of the plugin, and `getRootDirectory` of @pulumi/pulumi 3.248 returns the text `rootDirectory`.
 */
export function engineProcess(pid = process.ppid, proc = "/proc"): EngineProcess | undefined {
  try {
    for (let ancestor = pid, looked = 0; looked < mostAncestors && ancestor > 1; looked++) {
      const executable = readlinkSync(`${proc}/${ancestor}/exe`);
      if (/^\.?pulumi(?!-(resource|language))/.test(basename(executable)))
        return { executable, folder: readlinkSync(`${proc}/${ancestor}/cwd`) };
      // The file has the process id, the name in parentheses, the state and the parent's id.
      ancestor = Number(/^.*\) \S+ (\d+)/s.exec(readFileSync(`${proc}/${ancestor}/stat`, "utf8"))?.[1]);
    }
  } catch {
    // A system without `/proc`, or the process of another user.
  }
  return undefined;
}
