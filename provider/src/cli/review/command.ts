import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { mostBilledIn } from "../../rules/billed-limit";
import { environmentName } from "../../rules/find-setting";
import { textsOf } from "../../rules/first-of";
import { priceNames } from "../../rules/price";
import { visible } from "../../rules/visible";
import { describeThrown } from "../../describe-thrown";
import { InputError } from "../../errors";
import { oncePer } from "../../once";
import { assertNoOutcomeOptions, runPulumi } from "../../run-pulumi";
import { shellQuoted } from "../../shell-quoted";
import { stackIn, stacksLike } from "../../stacks/names";
import { fullStackName } from "../../stacks/pulumi-states";
import { askingHere } from "../addresses";
import { numberFromZero } from "../listing";
import { programFolder, projectAndStack, projectHere, settingsAndSecretsOf, skippedCheckpoints } from "../stack";
import { runDrift } from "./drift";
import { type OutputFormat, formatOf, jsonOf, type ReviewOptions, saveReview } from "./forms";
import { factsOf } from "./gather";
import { markdownOf } from "./markdown";
import type { Page } from "./page/page";
import { parsePreview, type Preview } from "./preview";
import { percent } from "./limits";
import { type Review, reviewOf } from "./review";
import { textOf } from "./text";
import { exitCodeOf, exitCodes } from "./exit-code";
import { printError, printText } from "../print";
import { paint, showProgress, terminalWidth } from "../terminal";

const embeddedMegabytes = 20;
/** The limit for recordings with `--open`. The whole page must be shorter than the longest string of Node.js. */
const openedMegabytes = 200;

export function withLimits(command: Command): Command {
  return command
    .option("--max-cost <amount>", "exit with code 3 if the known charge may exceed this amount", amount)
    .option("--max-voices <number>", "exit with code 3 if the update creates more voices than this", amount)
    .option("--max-image-tasks <number>", "exit with code 3 if the update submits more image tasks than this", amount)
    .option("--max-decisions <number>", "exit with code 3 if the update asks more decisions than this", amount)
    .option(
      "--max-replaced <percent>",
      "exit with code 3 if the update replaces more of the stack's voices than this, and at least 5",
      percent,
    );
}

export function saveOption(): Option {
  const help = "its extension sets the form: .md, .html, .json or .txt (repeatable)";
  return new Option("--save <file>", `also write the review to this file; ${help}`).argParser(collect).default([]);
}

/** The options that concern an update or its page, so `--drift` would ignore them. */
const optionsOfUpdate = [
  ...["maxCost", "maxVoices", "maxImageTasks", "maxDecisions", "maxReplaced"],
  ...["embedAudio", "recordings", "allowChanges", "open"],
];

export function addReviewCommand(program: Command): void {
  withLimits(program.command("review"))
    .description("show what an update will change, what it costs, and how much of the quota it needs")
    .argument(
      "[preview]",
      "output of `pulumi preview --json`: a file, or - for standard input (default: run the preview)",
    )
    .option("--stack <name>", "review this stack with its settings (run this in the project's folder)")
    .addOption(
      new Option("--format <form>", "form of the output").choices(["text", "markdown", "html", "json"]).default("text"),
    )
    .addOption(new Option("--json", "the same as --format json").implies({ format: "json" }))
    .option("--all", "print every change as text, also when there are 20 or more")
    .addOption(saveOption())
    .addOption(
      new Option(
        "--drift",
        "instead of previewing the program, compare the stack's state with the account (voices that either lacks) " +
          "and with the saved pictures (missing or changed)",
      ).conflicts(optionsOfUpdate),
    )
    .option(
      "--embed-audio [megabytes]",
      "embed the recordings of new and replaced voices in the page, up to this total " +
        `(default: ${embeddedMegabytes}); the page then needs no other file, and contains personal data`,
      amount,
    )
    .option(
      "--no-embed-audio",
      "for a page that is published: do not embed recordings, and do not link to files (URLs of recordings stay)",
    )
    .option(
      "--recordings <folder>",
      "the folder that the command `recordings` made: the page contains recordings, as with --embed-audio; if the " +
        "folder does not exist, as with --no-embed-audio",
    )
    .option("--allow-changes", "for a pipeline: exit with code 0 instead of 2 if there are changes")
    .option("--open", "open the page, with all recordings, in the browser; it is served on this machine until Ctrl-C")
    .addHelpText(
      "after",
      "\nExit codes: 0 no changes, 2 changes, 3 over quota or over one of the limits, 1 an error, a failed preview, " +
        "an account that could not be listed, or an update that will fail." +
        "\nWith --drift: 0 no drift, 2 drift, or rights of a voice that have ended, 1 an error.",
    )
    .action(runReview);
}

async function runReview(source: string | undefined, options: ReviewOptions): Promise<void> {
  if (options.drift) return runDrift(source, options);
  const { review } = await printReview(source, options);
  const code = exitCodeOf(review);
  process.exitCode = code === exitCodes.changes && options.allowChanges ? exitCodes.noChanges : code;
  if (!options.open) return;
  const embedBytes = options.embedAudio ? embedBytesOf(options) : openedMegabytes * 1e6;
  const { html } = await pageIn(process.cwd(), review, options, embedBytes);
  const { servePage } = await import("./open");
  await servePage(html);
}

/** Reviews the preview in `source`, or without `source` a new preview of the stack. */
async function reviewFrom(source: string | undefined, options: ReviewOptions): Promise<Reviewed> {
  const formats = [options.format, ...options.save.map(formatOf)];
  if (options.embedAudio && !options.open && !formats.includes("html"))
    throw new InputError("--embed-audio needs a page. Add --save review.html or --format html.");
  const homeless = options.save.find((file) => !existsSync(dirname(resolve(file))));
  if (homeless !== undefined)
    throw new InputError(
      `The folder of --save ${visible(homeless)} does not exist. Create the folder, or name another file.`,
    );
  // The command `recordings` creates the folder only if the page may contain people's voices.
  if (options.recordings !== undefined) options.embedAudio ??= existsSync(options.recordings);
  // A preview that runs here is of the selected stack, so the state and settings of this stack apply. A preview from a
  // file may be of any stack: without --stack, only the environment applies.
  const isOfStack = options.stack !== undefined || source === undefined;
  const ownStack = isOfStack ? await fullStackName(options.stack) : undefined;
  // Read the settings first: a bad setting should fail before the preview, which takes longer.
  const { settings, find, hide } = await settingsAndSecretsOf(ownStack);
  const limits = { ...options, mostBilled: mostBilledIn(process.env) };
  const preview = await previewFrom(source, ownStack);
  const named = projectAndStack(ownStack ?? "");
  const { project, stack } = stackIn(preview.steps[0]?.urn ?? "") ?? named;
  if (ownStack !== undefined && stacksLike([ownStack], { project, stack }).length === 0) {
    throw new InputError(
      `The preview does not match --stack: it is of the stack ${project}/${stack}, not of ${ownStack}. ` +
        `Preview ${ownStack}, or use --stack ${shellQuoted(stack)}.`,
    );
  }
  const facts = await factsOf(ownStack, settings, preview);
  const prices = priceNames.filter((name) => !process.env[environmentName(name)]?.trim());
  const review = reviewOf({
    ...{ preview, named, ...facts, limits, nowMs: Date.now() },
    filePrices: Object.fromEntries(prices.map((name) => [name, find(name)?.value ?? ""])),
    notes: textsOf([skippedCheckpoints(process.env)]),
    hasFile: source === undefined ? (path) => existsSync(resolve(programFolder(), path)) : undefined,
    asking: await askingHere(),
  });
  return { review: hide(review), preview };
}

interface Reviewed {
  review: Review;
  preview: Preview;
}

export async function printReview(source: string | undefined, options: ReviewOptions): Promise<Reviewed> {
  const { review, preview } = await reviewFrom(source, options);
  // Render each page once: the HTML file contains the page, and the comment reports which recordings the page lacks.
  const page = oncePer((folder: string) => pageIn(folder, review, options));
  const format = async (form: OutputFormat, folder: string) => {
    if (form === "text") return textOf(review, options);
    if (form === "json") return jsonOf(review);
    if (form === "html") return (await page(folder)).html;
    const published = options.save.find((file) => formatOf(file) === "html");
    if (published === undefined || options.embedAudio === undefined) return markdownOf(review);
    const { missing } = await page(dirname(resolve(published)));
    return markdownOf(review, { isWithheld: embedBytesOf(options) === 0, missing });
  };
  for (const file of options.save) {
    const [form, folder] = [formatOf(file), dirname(resolve(file))];
    saveReview(file, await format(form, folder), { hasRecordings: embedBytesOf(options) > 0 });
    const embedded = form === "html" ? (await page(folder)).embedded : undefined;
    if (embedded !== undefined)
      printError(
        `${visible(file)} contains ${embedded} of people's voices. They are personal data: protect the page as you protect ` +
          "the recordings, and keep it out of Git.",
      );
  }
  const isText = options.format === "text";
  const look = { ...options, paint, width: terminalWidth() };
  printText(isText ? textOf(review, look) : await format(options.format, process.cwd()));
  return { review, preview };
}

function embedBytesOf({ embedAudio = false }: ReviewOptions): number {
  return (embedAudio === true ? embeddedMegabytes : Number(embedAudio)) * 1e6;
}

async function pageIn(
  pageFolder: string,
  review: Review,
  options: ReviewOptions,
  embedBytes = embedBytesOf(options),
): Promise<Page> {
  const { pageOf } = await import("./page/page");
  const folders = { pageFolder, programFolder: programFolder(), projectFolder: projectHere().folder };
  const isPublished = options.embedAudio !== undefined || embedBytes > 0;
  return pageOf(review, { ...folders, embedBytes, isPublished, fetchedFolder: options.recordings });
}

export async function previewFrom(
  source: string | undefined,
  stack: string | undefined,
  more: Record<string, string> = {},
): Promise<Preview> {
  if (source === "-") return parsePreview(await buffer(process.stdin));
  if (source !== undefined) return parsePreview(readPreviewFile(source));
  assertNoOutcomeOptions(process.env);
  const end = showProgress("Running pulumi preview");
  // If `quotaCheck` were `error`, the first resource over the quota would end the preview. The review checks the quota.
  const variables = { [environmentName("quotaCheck")]: "warn", ...more };
  const args = ["preview", "--json", "--show-sames", ...(stack === undefined ? [] : ["--stack", stack])];
  const { stdout, failure } = await runPulumi(args, { variables }).finally(end);
  if (!stdout.includes("{")) throw new InputError(failure ?? "`pulumi preview --json` printed nothing");
  return parsePreview(Buffer.from(stdout), failure);
}

function readPreviewFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InputError(
      `The preview cannot be read: ${describeThrown(error).message}. Give the path of a file, or - for standard input.`,
    );
  }
}

function collect(file: string, before: string[]): string[] {
  formatOf(file);
  return [...before, file];
}

function amount(text: string): number {
  return numberFromZero(text, "It must be a number, 0 or more.");
}
