import type { Command } from "commander";
import { billedAtMost } from "../rules/billed-limit";
import { planVariable } from "../rules/plan-line";
import { nameMatch, pendingVariable } from "../rules/naming";
import { runCommand, withoutOptions } from "../run-pulumi";
import { printReview, type ReviewOptions, saveOption, withLimits } from "./review/command";
import type { Preview } from "./review/preview";
import { exitCodeOf, exitCodes } from "./review/review";
import { configurationOf, neededStack, statesOf } from "./stack";
import { backendUrl } from "./stacks/states";
import { printError } from "./print";
import { parseStorage } from "../rules/storage";
import { resourceKind, typeIn, voiceCatalogType } from "../rules/resource-types";

export function addUpCommand(program: Command): void {
  withLimits(program.command("up"))
    .description("for a pipeline: review the update, and run `pulumi up --refresh` if it stays within the limits")
    .option("--stack <name>", "update this stack (run this in the project's folder)")
    .addOption(saveOption())
    .option("--checkpoints", "save the state after each step, even if this makes a large update slower")
    .addHelpText(
      "after",
      "\nIf the review ends with 1 or 3, nothing is updated. The update cannot bill more than the review lists." +
        "\nExit codes: 1 or 3 of the review, otherwise the code of `pulumi up`.",
    )
    .action(up);
}

interface UpOptions extends ReviewOptions {
  checkpoints?: boolean;
}

/**
 * Reviews again before the update, because stack and account may have changed since the pull request was reviewed. The
 * update must not bill more than this review counts (`billedAtMost`), because a program can declare more in an update
 * than in a preview. This does not raise the pipeline's own CLOUDVOICE_MAX_BILLED: a review above that exits with 3.
 */
async function up({ stack: named, checkpoints = false, ...limits }: UpOptions): Promise<void> {
  const stack = await neededStack("up", named);
  const pending = { [pendingVariable]: (await pendingNames(stack)).join() };
  const options: ReviewOptions = { ...limits, stack, format: "text" };
  const { review, preview } = await printReview(undefined, options, { args: ["--refresh"], variables: pending });
  const code = exitCodeOf(review);
  if (code !== exitCodes.reviewed) {
    process.exitCode = code;
    return;
  }
  const update = ["up", "--yes", "--skip-preview", "--refresh", "--non-interactive", "--stack", stack];
  const { [planVariable]: _, ...environment } = withoutOptions(process.env);
  const skips = !checkpoints && (process.env.PULUMI_SKIP_CHECKPOINTS ?? (await skipsCheckpoints(stack, preview)));
  // Set (to false) even if the checkpoints stay, so that the provider does not advise this command.
  const env = { ...environment, ...billedAtMost(review.charge), ...pending, PULUMI_SKIP_CHECKPOINTS: String(skips) };
  process.exitCode = await runCommand(["pulumi", ...update], env);
}

/**
 * The generated names of the creates that a killed run began, so that their voices are used without a question even if
 * the journal was lost. The engine keeps pending creates through later updates, so a name is left out if the state has
 * a voice with it.
 */
async function pendingNames(stack: string): Promise<string[]> {
  const { holders, pendingCreates } = await statesOf(stack).stackState();
  return pendingCreates.flatMap(({ preferredName: name }) =>
    name === undefined || holders.some(({ voice }) => nameMatch(voice, name) === "yes") ? [] : [name],
  );
}

async function skipsCheckpoints(stack: string, preview: Preview): Promise<boolean> {
  // Finding out about the backend and the journal takes two runs of Pulumi.
  if (changesIn(preview) < manyChanges) return false;
  const [backend, find] = await Promise.all([backendUrl(), configurationOf(stack)]);
  const skips = canSkipCheckpoints({ preview, backend, journal: find("journal")?.value, environment: process.env });
  if (skips)
    printError(
      `This update changes ${changesIn(preview)} resources, all of them of this package, so it runs without ` +
        "checkpoints: the state is saved once, at the end. If the run is killed, the next run finds the voices by " +
        "the journal. --checkpoints turns this off.",
    );
  return skips;
}

export interface Plan {
  preview: Pick<Preview, "steps" | "whole">;
  /** The address of the backend. Undefined if it is not known. */
  backend: string | undefined;
  /** The setting `journal`. */
  journal: string | undefined;
  environment: { CI?: string | undefined };
}

/** The fewest changes for which an update without checkpoints saves a noticeable time. */
export const manyChanges = 50;

/**
 * Whether an update can run without checkpoints: it is faster, and if it is killed, only the journal knows what it
 * created. So every resource must be one that the journal notes, and the notes must outlive the machine. The hosted
 * backend saves single steps, and does not need this.
 */
export function canSkipCheckpoints({ preview, backend, journal = "", environment }: Plan): boolean {
  const savesWholeStates = /^(file|s3|gs|azblob):\/\//.test(backend ?? "");
  const notesStay = /^(0|false)?$/i.test(environment.CI ?? "") || "bucket" in parseStorage(journal);
  return (
    savesWholeStates &&
    notesStay &&
    preview.whole &&
    preview.steps.every(({ urn }) => isOwn(typeIn(urn))) &&
    changesIn(preview) >= manyChanges
  );
}

export function changesIn({ steps }: Pick<Preview, "steps">): number {
  return steps.filter(({ op }) => ["create", "update", "replace", "delete"].includes(op)).length;
}

/** Whether the type is one of this package, or the stack or a provider, which the next run can register again. */
function isOwn(type: string): boolean {
  const others = ["pulumi:pulumi:Stack", "pulumi:providers:cloudvoice", "pulumi:providers:pulumi-nodejs"];
  return resourceKind(type) !== undefined || type === voiceCatalogType || others.includes(type);
}
