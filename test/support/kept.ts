import type { Props } from "../../provider/src/lifecycle/lifecycle";

export interface Kept {
  id: string;
  outs: Props & { images: Record<string, unknown>[] };
  message: string;
}

/** What the engine saves of a resource that exists and is incomplete, and the message of the failure. */
export function kept(work: Promise<unknown>): Promise<Kept> {
  return work.then(
    () => {
      throw new Error("The call succeeded.");
    },
    (error: unknown) => {
      if (!("outs" in (error as object))) throw error;
      return error as Kept;
    },
  );
}
