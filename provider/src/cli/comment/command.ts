import { type Command, Option } from "commander";
import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError } from "../../errors";
import { visible } from "../../rules/visible";
import { undiciHttp } from "../../service/http";
import { partsOf } from "../../rules/resource-types";
import { type Host, type Pipeline, pipelineOf, readEvent, tokenOf, tokens } from "../hosts/pipeline";
import { secretsHidden, secretsIn } from "../known-secrets";
import { printError, printLine } from "../print";
import { type Behavior, type Conversation, gitHub, gitLab, post } from "./conversation";
import { Requests } from "./requests";
import { commentOf, namesOfComment, readReview, type StatedNames } from "./text";

const conversations: Record<Host, (pipeline: Pipeline, requests: Requests) => Conversation> = {
  github: gitHub,
  gitlab: gitLab,
};

interface CommentOptions {
  review: string;
  project?: string;
  stack?: string;
  page?: string;
  pageArtifact?: string;
  behavior: Behavior;
}

export function addCommentCommand(program: Command): void {
  program
    .command("comment")
    .description("post a saved review as a comment on the pull request, or update the comment of the last review")
    .option(
      "--review <path>",
      "the review that `review --save` wrote as Markdown, or a folder with the review as review.md",
      "review.md",
    )
    .option(
      "--project <name>",
      "post only a review of this Pulumi project (default: the project that the review names)",
    )
    .option("--stack <name>", "post only a review of this stack (default: the stack that the review names)")
    .option("--page <url>", "the address of the review's page, for the link in the comment")
    .option(
      "--page-artifact <name>",
      "the artifact with the page; in GitLab <job>/<path> (default on GitHub: review-<project>@<stack>.html)",
    )
    .addOption(
      new Option("--behavior <behavior>", "update the comment of the last review, or write a new comment")
        .choices(["update", "new"])
        .default("update"),
    )
    .addHelpText("after", "\nExit codes: 0, or 1 for an error or a review that is not posted.")
    .action(runComment);
}

async function runComment(options: CommentOptions): Promise<void> {
  const { names: saved, lines } = readReview(options.review);
  const names = namesOfComment(saved, namesInOptions(options));
  const pipeline = pipelineOf(process.env, readEvent(process.env));
  if (!/^[1-9]\d{0,9}$/.test(pipeline.number ?? ""))
    throw new InputError(
      "The pipeline's variables do not name a pull request. Run this in the pipeline of a pull request.",
    );
  const { host, api } = pipeline;
  const { name: tokenName, token } = tokenOf(process.env, tokens[host]);
  const http = undiciHttp({ requestTimeoutMs: 60_000, maxConcurrency: 1 });
  try {
    const conversation = conversations[host](pipeline, new Requests(http, { host, api, token, tokenName }));
    const artifact =
      options.pageArtifact ?? (host === "github" ? `review-${names.project}@${names.stack}.html` : undefined);
    const hide = secretsHidden(secretsIn(process.env));
    const page = options.page ?? (await pageIn(conversation, artifact, hide));
    const comment = commentOf(names, hide(lines), page);
    const done = await post(conversation, comment, options.behavior);
    const { repository, number } = pipeline;
    printLine(visible(`The review of ${names.project}/${names.stack} is ${done} on ${repository}#${number}.`));
  } finally {
    await http.close();
  }
}

/** The address of the page. If the page can't be found, the comment is still posted, without a link to the page. */
async function pageIn(
  conversation: Conversation,
  artifact: string | undefined,
  hide: (text: string) => string,
): Promise<string | undefined> {
  try {
    return await conversation.page(artifact);
  } catch (error) {
    if (!CloudVoiceError.is(error)) throw error;
    printError(visible(hide(`The comment does not link to the page: ${describeThrown(error).message}`)));
    return undefined;
  }
}

/** Splits `--stack`, which may contain the organization and the project. */
function namesInOptions({ project: stated, stack: full }: CommentOptions): StatedNames {
  const { stack, project = stated } = full === undefined ? { stack: undefined } : partsOf(full);
  if (stated !== undefined && project !== stated)
    throw new InputError(
      `--project is ${stated}, and --stack names the project ${project}. Leave out one of these options.`,
    );
  return { project, stack };
}
