import { readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Command, InvalidArgumentError, Option } from "commander";
import { environmentName } from "../../rules/settings";
import { describeThrown } from "../../describe-thrown";
import { InputError } from "../../errors";
import { programFolder, projectHere, pulumiOutput, settingsOf, voicesInState } from "../stack";
import { markdownOf } from "./markdown";
import { parsePreview, type Preview } from "./preview";
import { isOverCost, isOverQuota, type Review, reviewOf, stackOf } from "./review";
import { textOf } from "./text";

interface Options {
  stack?: string;
  format: Form;
  json?: boolean;
  save: string[];
  maxCost?: number;
  embedAudio?: number | true;
}

type Form = "text" | "markdown" | "html" | "json";
const formOfEnding: Record<string, Form> = { ".txt": "text", ".md": "markdown", ".html": "html", ".json": "json" };
/** Megabytes of recordings that a page holds at most, unless told otherwise. */
const embeddedMegabytes = 20;

/** What pipelines go by. Anything else than these is 1: an error, or a preview that failed. */
const exitCodes = { nothingToDo: 0, changes: 2, over: 3 };

export function addReviewCommand(program: Command): void {
  program
    .command("review")
    .description("tell what a preview will make, cost and use up")
    .argument(
      "[preview]",
      "what `pulumi preview --json` printed: a file, or - for standard input (default: runs the preview itself)",
    )
    .option("--stack <name>", "review this stack, with its settings (in the project's folder)")
    .addOption(
      new Option("--format <form>", "what to print").choices(["text", "markdown", "html", "json"]).default("text"),
    )
    .option("--json", "the same as --format json")
    .option(
      "--save <file>",
      "also write it to this file, in the form of its ending: .md, .html, .json or .txt (may be repeated)",
      collect,
      [],
    )
    .option("--max-cost <dollars>", "fail when the charge for voices may be more", amount)
    .option(
      "--embed-audio [megabytes]",
      `put new and changed recordings into the page, up to this total (default: ${embeddedMegabytes}); it then holds personal data`,
      amount,
    )
    .addHelpText(
      "after",
      "\nExit codes: 0 nothing to do, 2 changes, 3 over quota or over --max-cost, 1 an error or a preview that failed.",
    )
    .action(review);
}

async function review(source: string | undefined, options: Options): Promise<void> {
  if (
    options.embedAudio !== undefined &&
    options.format !== "html" &&
    !options.save.some((file) => formOf(file) === "html")
  ) {
    throw new InputError("--embed-audio is for a page: give --save review.html too, or --format html");
  }
  const preview = await previewFrom(source, options.stack);
  const reviewed = stackOf(preview)?.stack;
  if (options.stack !== undefined && reviewed !== undefined && options.stack.split("/").at(-1) !== reviewed) {
    throw new InputError(`the preview is of the stack ${reviewed}, not of ${options.stack}`);
  }
  // What Pulumi was asked here is of the stack that is selected here; a preview from elsewhere goes with the environment unless a stack is named.
  const facts = await factsOf(options.stack ?? (source === undefined ? reviewed : undefined));
  const named = { project: projectHere().name, stack: options.stack?.split("/").at(-1) ?? "" };
  const told = reviewOf({ preview, named, ...facts, maxCost: options.maxCost, nowMs: Date.now() });
  for (const file of options.save)
    writeFileSync(file, await written(told, formOf(file), dirname(resolve(file)), options));
  process.stdout.write(await written(told, options.json ? "json" : options.format, process.cwd(), options));
  process.exitCode = exitCodeOf(told);
}

async function previewFrom(source: string | undefined, stack: string | undefined): Promise<Preview> {
  if (source === "-") return parsePreview(await buffer(process.stdin));
  if (source !== undefined) return parsePreview(fileBytes(source));
  console.error("Running pulumi preview …");
  // A quota that does not fit is told with everything else, and not as the error that ends the preview.
  const { stdout, failure } = await pulumiOutput(["preview", "--json", "--show-sames"], stack, {
    [environmentName("quotaCheck")]: "warn",
  });
  if (!stdout.includes("{")) throw new InputError(failure ?? "`pulumi preview --json` printed nothing");
  return parsePreview(Buffer.from(stdout));
}

function fileBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InputError(`the preview can't be read: ${describeThrown(error).message}`);
  }
}

/** The account and the state, as far as they can be asked: a review without them says what it does not know. */
async function factsOf(stack: string | undefined) {
  const held = stack === undefined ? undefined : await voicesInState(stack);
  const settings = await settingsOf(stack);
  const { connect } = await import("../../service/connect");
  const service = connect(settings);
  const known = { held, voiceQuota: settings.voiceQuota, quotaCheck: settings.quotaCheck };
  try {
    return { ...known, account: await service.account.voices() };
  } catch (error) {
    return { ...known, account: { unknown: describeThrown(error).message } };
  } finally {
    await service.close();
  }
}

async function written(told: Review, form: Form, folder: string, { embedAudio }: Options): Promise<string> {
  switch (form) {
    case "text":
      return textOf(told);
    case "markdown":
      return markdownOf(told);
    case "json":
      return `${JSON.stringify(told, null, 2)}\n`;
    case "html": {
      const { pageOf } = await import("./page");
      const megabytes = embedAudio === true ? embeddedMegabytes : (embedAudio ?? 0);
      return pageOf(told, { pageFolder: folder, programFolder: programFolder(), embedBytes: megabytes * 1e6 });
    }
  }
}

function exitCodeOf(told: Review): number {
  if (isOverQuota(told) || isOverCost(told)) return exitCodes.over;
  if (!told.complete) return 1;
  return told.changes.length > 0 ? exitCodes.changes : exitCodes.nothingToDo;
}

function formOf(file: string): Form {
  const form = formOfEnding[extname(file).toLowerCase()];
  if (form === undefined)
    throw new InputError(
      `--save ${file}: the ending tells the form; it must be ${Object.keys(formOfEnding).join(", ")}`,
    );
  return form;
}

function collect(file: string, before: string[]): string[] {
  formOf(file);
  return [...before, file];
}

function amount(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0) || !Number.isFinite(value))
    throw new InvalidArgumentError("It must be a number from 0.");
  return value;
}
