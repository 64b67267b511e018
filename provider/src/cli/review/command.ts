import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Command, Option } from "commander";
import { mostBilledIn } from "../../rules/billed-limit";
import { environmentName, findSetting } from "../../rules/find-setting";
import { planVariable } from "../../rules/plan-line";
import { priceNames } from "../../rules/price";
import { isNamed, stackIn } from "../../rules/resource-types";
import { readSettings, type SettingName } from "../../rules/settings";
import { shellQuoted, visible, withoutCommands } from "../../rules/visible";
import { describeThrown } from "../../describe-thrown";
import { InputError } from "../../errors";
import { oncePer } from "../../once";
import { assertNoOutcomeOptions, runPulumi } from "../../run-pulumi";
import { fullStackName } from "../stacks/states";
import { secretsHidden, secretsIn } from "../known-secrets";
import { programFolder, projectAndStack, projectHere } from "../stack";
import { type Limits, limitsIn } from "./charge";
import { markdownOf } from "./markdown";
import type { Page } from "./page/page";
import { parsePreview, type Preview } from "./preview";
import { exitCodeOf, type Review, reviewOf } from "./review";
import { textOf } from "./text";
import { jsonOf, paint, printError, printText, terminalWidth } from "../print";
import { replaceFile } from "../../files";

const embeddedMegabytes = 20;

export type OutputFormat = "text" | "markdown" | "html" | "json";
const formats: Record<string, OutputFormat> = { ".txt": "text", ".md": "markdown", ".html": "html", ".json": "json" };

export function formatOf(file: string): OutputFormat {
  const outputFormat = formats[extname(file).toLowerCase()];
  if (outputFormat === undefined)
    throw new InputError(
      `The review cannot be saved to ${file}: the extension sets the form. ` +
        `Use one of ${Object.keys(formats).join(", ")}.`,
    );
  return outputFormat;
}

export interface ReviewOptions {
  stack?: string;
  limit?: Limits;
  format: OutputFormat;
  all?: boolean;
  save: string[];
  drift?: boolean;
  exitCode?: boolean;
  /** False: the page is published, and must not contain recordings. */
  embedAudio?: boolean;
  recordings?: string;
}

/** A CI runner may print the file, so commands of runners are escaped. Only the owner may read people's recordings. */
export function saveReview(file: string, text: string, { hasRecordings = false } = {}): void {
  replaceFile(file, withoutCommands(text), hasRecordings && formatOf(file) === "html" ? 0o600 : 0o666);
}

export function withLimits(command: Command): Command {
  const help = "exit with code 3 over one of these: voices=12,images=3,decisions=5,cost=5,replaced=20%";
  return command.addOption(new Option("--limit <limits>", help).argParser(limitsIn));
}

export function saveOption(): Option {
  const help = "its extension sets the form: .md, .html, .json or .txt (repeatable)";
  return new Option("--save <file>", `also write the review to this file; ${help}`).argParser(collect).default([]);
}

export function addReviewCommand(program: Command): void {
  withLimits(program.command("review"))
    .description("show what an update will change, what it costs, and how much of the quota it needs")
    .argument(
      "[preview]",
      `output of \`${planVariable}=1 pulumi preview --json --show-sames\`: a file, or - for standard input (default: run ` +
        "the preview)",
    )
    .option("--stack <name>", "preview and review this stack (run this in the project's folder)")
    .addOption(
      new Option("--format <form>", "form of the output").choices(["text", "markdown", "html", "json"]).default("text"),
    )
    .option("--all", "print every change as text, also when there are 20 or more")
    .addOption(saveOption())
    .option("--drift", "instead of previewing the program, show what `pulumi refresh` would find")
    .option(
      "--embed-audio",
      `embed the recordings of new and replaced voices in the page, up to ${embeddedMegabytes} MB; the page then needs ` +
        "no other file, and contains personal data",
    )
    .option(
      "--no-embed-audio",
      "for a page that is published: do not embed recordings, and do not link to files (URLs of recordings stay)",
    )
    .option(
      "--recordings <folder>",
      "the folder that the command `recordings` made. If it exists, the page contains recordings, as with " +
        "--embed-audio; if not, none, as with --no-embed-audio",
    )
    .option("--exit-code", "exit with code 2 if there are changes or drift")
    .addHelpText(
      "after",
      "\nExit codes: 0 reviewed, 3 over quota or over one of the limits, 1 an error, an open question, a closed gate, an " +
        "incomplete review, or an update that will fail. With --exit-code: 2 changes or drift.",
    )
    .action(runReview);
}

async function runReview(source: string | undefined, options: ReviewOptions): Promise<void> {
  process.exitCode = exitCodeOf((await printReview(source, options)).review, options.exitCode);
}

/** Reviews the preview in `source`, or without `source` a new preview of the stack. */
async function reviewFrom(
  source: string | undefined,
  options: ReviewOptions,
  { args, variables }: Required<PreviewRun>,
): Promise<Reviewed> {
  const formats = [options.format, ...options.save.map(formatOf)];
  if (options.embedAudio && !formats.includes("html"))
    throw new InputError("--embed-audio needs a page. Add --save review.html or --format html.");
  if (options.drift && source !== undefined)
    throw new InputError(
      `--drift runs \`pulumi refresh\` itself. To review a file, leave --drift out: the review recognises the output ` +
        `of \`${planVariable}=1 pulumi refresh --preview-only --json\`.`,
    );
  const homeless = options.save.find((file) => !existsSync(dirname(resolve(file))));
  if (homeless !== undefined)
    throw new InputError(
      `The folder of --save ${visible(homeless)} does not exist. Create the folder, or name another file.`,
    );
  // The command `recordings` creates the folder only if the page may contain people's voices.
  if (options.recordings !== undefined) options.embedAudio ??= existsSync(options.recordings);
  const ownStack = source === undefined ? await fullStackName(options.stack) : options.stack;
  const preview = source === undefined ? await runPreview(ownStack, args, variables) : await savedPreview(source);
  const named = projectAndStack(ownStack ?? "");
  const { project, stack } = stackIn(preview.steps[0]?.urn ?? "") ?? named;
  if (ownStack !== undefined && !isNamed({ project, stack }, ownStack)) {
    throw new InputError(
      `The preview does not match --stack: it is of the stack ${project}/${stack}, not of ${ownStack}. ` +
        `Preview ${ownStack}, or use --stack ${shellQuoted(stack)}.`,
    );
  }
  const review = reviewOf({
    ...{ preview, named, nowMs: Date.now(), ...pricesIn(preview) },
    limits: { ...options.limit, mostBilled: mostBilledIn(process.env) },
  });
  return { review: secretsHidden(secretsIn(process.env))(review), preview };
}

/** How Pulumi runs for the review: more options, and variables of its environment. */
interface PreviewRun {
  args?: string[];
  variables?: Record<string, string>;
}

interface Reviewed {
  review: Review;
  preview: Preview;
}

/** The prices of the environment, or else of the stack's configuration, which the preview has. */
function pricesIn({ config }: Preview) {
  const inConfig = (key: string) => (typeof config[key] === "string" ? config[key] : undefined);
  const isPrice = (name: string) => priceNames.some((each) => each === name);
  const find = (name: SettingName) => (isPrice(name) ? findSetting(name, process.env, inConfig) : undefined);
  const { voicePrice, imagePrice, decisionPricePerMillionTokens, currency } = readSettings(find, []);
  const ofFile = priceNames.filter((name) => !process.env[environmentName(name)]?.trim());
  const filePrices = Object.fromEntries(ofFile.map((name) => [name, inConfig(`cloudvoice:${name}`) ?? ""]));
  return { voicePrice, imagePrice, decisionPricePerMillionTokens, currency, filePrices };
}

/** `more`: further arguments of the preview that it runs. */
export async function printReview(
  source: string | undefined,
  options: ReviewOptions,
  { args: more = [], variables = {} }: PreviewRun = {},
): Promise<Reviewed> {
  const args = options.drift ? ["refresh", "--preview-only", "--json"] : ["preview", "--json", "--show-sames", ...more];
  const { review, preview } = await reviewFrom(source, options, { args, variables });
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
  return embedAudio ? embeddedMegabytes * 1e6 : 0;
}

async function pageIn(pageFolder: string, review: Review, options: ReviewOptions): Promise<Page> {
  const embedBytes = embedBytesOf(options);
  const { pageOf } = await import("./page/page");
  const folders = { pageFolder, programFolder: programFolder(), projectFolder: projectHere().folder };
  const isPublished = options.embedAudio !== undefined || embedBytes > 0;
  return pageOf(review, { ...folders, embedBytes, isPublished, fetchedFolder: options.recordings });
}

async function savedPreview(source: string): Promise<Preview> {
  return parsePreview(source === "-" ? await buffer(process.stdin) : readPreviewFile(source));
}

export async function runPreview(
  stack: string | undefined,
  args: string[],
  more: Record<string, string>,
): Promise<Preview> {
  assertNoOutcomeOptions(process.env);
  printError(`Running pulumi ${shellQuoted(args[0] ?? "")} …`);
  const ofStack = stack === undefined ? [] : ["--stack", stack];
  const { stdout, failure } = await runPulumi([...args, ...ofStack], { variables: { ...more, [planVariable]: "1" } });
  if (!stdout.includes("{"))
    throw new InputError(failure ?? `\`pulumi ${args.map(shellQuoted).join(" ")}\` printed nothing`);
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
