import type { Command } from "commander";
import { billedAtMost } from "../rules/billed-limit";
import { withoutOptions } from "../run-pulumi";
import { printReview, saveOption, withLimits } from "./review/command";
import type { ReviewOptions } from "./review/forms";
import { exitCodeOf, exitCodes } from "./review/exit-code";
import { runCommand } from "./run-command";
import { neededStack } from "./stack";

export function addUpCommand(program: Command): void {
  withLimits(program.command("up"))
    .description("for a pipeline: review the update, and run `pulumi up --refresh` if it stays within the limits")
    .option("--stack <name>", "update this stack (run this in the project's folder)")
    .addOption(saveOption())
    .addHelpText(
      "after",
      "\nIf the review ends with 1 or 3, nothing is updated. The update cannot bill more than the review lists." +
        "\nExit codes: 1 or 3 of the review, otherwise the code of `pulumi up`.",
    )
    .action(up);
}

/**
 * Reviews again before the update, because stack and account may have changed since the pull request was reviewed. The
 * update must not bill more than this review counts (`billedAtMost`), because a program can declare more in an update
 * than in a preview. This does not raise a CLOUDVOICE_MAX_BILLED of the pipeline: over it, the review exits with 3.
 */
async function up({ stack: named, ...limits }: ReviewOptions): Promise<void> {
  const stack = await neededStack("up", named);
  const review = await printReview(undefined, { ...limits, stack, format: "text" });
  const code = exitCodeOf(review);
  if (code !== exitCodes.noChanges && code !== exitCodes.changes) {
    process.exitCode = code;
    return;
  }
  const update = ["up", "--yes", "--skip-preview", "--refresh", "--non-interactive", "--stack", stack];
  const env = { ...withoutOptions(process.env), ...billedAtMost(review.charge) };
  process.exitCode = await runCommand(["pulumi", ...update], env);
}
