import { adoptedTaskProblem, type ImageInputs, imageInputs, imageWarnings, mostBytes } from "../../rules/image-inputs";
import { type CheckFailure, checkFailure, checkInputs, type InputProblem, problemsWith } from "../../rules/inputs";
import { isBucket, isSamePlace } from "../../rules/storage";
import { missingClientProblem } from "../../service/bucket";
import type { Resource } from "../lifecycle";
import type { Reading } from "../operation";
import type { ImageTasks } from "./tasks";

export async function checkImage(
  tasks: ImageTasks,
  news: Partial<ImageInputs>,
  olds: Partial<ImageInputs> | undefined,
  resource: Resource,
  unknown: ReadonlySet<string>,
): Promise<{ inputs: Partial<ImageInputs>; failures: CheckFailure[] }> {
  const { name, secrets } = resource;
  const { log } = tasks.operation;
  const problems = checkInputs(imageInputs, news, unknown);
  if (problems.length === 0) {
    const shown = Object.fromEntries(Object.entries(news).filter(([input]) => secrets?.has(input) !== true));
    for (const warning of imageWarnings(shown)) log.warn(`${name}: ${warning}`);
    if (news.adoptTask !== undefined && olds?.model !== undefined && news.adoptTask !== olds.adoptTask)
      log.warn(`${name}: adoptTask has no effect: it is read when an image is created, and this image exists already`);
    problems.push(...(await contextProblems(tasks.operation, olds, news, unknown)));
  }
  return { inputs: news, failures: problems.map((problem) => checkFailure(problem, secrets)) };
}

/** Problems that depend on the state or on the place where pictures will be saved. */
async function contextProblems(
  { pictures }: Reading,
  olds: Partial<ImageInputs> | undefined,
  news: Partial<ImageInputs>,
  unknown: ReadonlySet<string>,
): Promise<InputProblem[]> {
  const { saveTo } = news;
  const missing = saveTo !== undefined && isBucket(saveTo) ? missingClientProblem(process.cwd()) : undefined;
  const problems = [
    ...problemsWith("", missing && `saveTo ${missing}`),
    ...problemsWith("adoptTask", adoptedTaskProblem(olds ?? {}, news, unknown)),
  ];
  const isNewPlace = saveTo !== undefined && (olds === undefined || !isSamePlace(olds.saveTo, saveTo));
  if (problems.length > 0 || !isNewPlace) return problems;
  return problemsWith("", await pictures.problemWith(saveTo, mostBytes(news)));
}
