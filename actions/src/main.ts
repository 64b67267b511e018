import { getInput, setFailed } from "@actions/core";
import { emptyFileCommands } from "./files";
import { comment } from "./steps/comment";
import { end } from "./steps/end";
import { install } from "./steps/install";
import { plan } from "./steps/plan";
import { recordings } from "./steps/recordings";
import { run } from "./steps/run";

/** The steps of the action, by the input `step`. */
const steps: Record<string, () => Promise<void> | void> = { plan, recordings, install, run, end, comment };

async function main(): Promise<void> {
  const step = getInput("step", { required: true });
  const work = steps[step];
  if (work === undefined) throw new Error(`The action has no step ${step}. It has ${Object.keys(steps).join(", ")}.`);
  try {
    await work();
  } finally {
    // Only `plan` may set outputs, because this step does not run code of the change.
    if (step !== "plan") emptyFileCommands(process.env);
  }
}

main().catch((error: unknown) => {
  setFailed(error instanceof Error ? error.message : String(error));
});
