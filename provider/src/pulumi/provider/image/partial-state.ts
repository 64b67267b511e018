import { describeThrown } from "../../../describe-thrown";
import type { ImageOutputs } from "../../../rules/image";
import { InitializationFailed } from "../lifecycle";

/** If the work fails, the engine saves the resource as `state` is by then. */
export async function withPartialState<T>(
  state: Omit<ImageOutputs, "saveTo"> & { saveTo?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`;
    throw new InitializationFailed(state.taskId, { ...state }, reason);
  }
}
