import { getInput, setFailed } from "@actions/core";
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
  await work();
}

main().catch((error: unknown) => {
  setFailed(error instanceof Error ? error.message : String(error));
});
