import { describeThrown } from "../../describe-thrown";
import { CloudVoiceError, InputError } from "../../errors";
import { expiryOf, type ImageOutput, type ImageOutputs, taskProgress } from "../../rules/image";
import { type ImageInputs, mostBytes } from "../../rules/image-fields";
import { doubtfulTask, imageQuestion } from "../../rules/questions";
import type { Question } from "../../rules/question";
import type { Sending } from "../../service/billed-requests";
import { pacer, steady } from "../../service/clock";
import type { Task } from "../../service/images/client";
import { lookUpTask, type PolledTask } from "../../service/images/wait";
import type { PictureEntry } from "../../service/responses/images";
import { shownReason } from "../../service/redact";
import { againLine, BilledOnce, isUnreadId } from "../billed-once";
import { InitializationFailed, mayBeSecret, type Resource } from "../lifecycle";
import type { Operation } from "../operation";

/** The most images that are read from a task if `n` is not known. */
const mostUnasked = 16;

type DescribedImages = Pick<ImageOutputs, "images" | "expiresAt" | "taskOutput" | "n">;
type SucceededTask = Pick<Task, "taskId" | "results" | "fields" | "raw" | "missing">;
type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;
type SeenTask = Pick<Task, "taskId" | "taskStatus"> & { message?: string | undefined };

/** Gets the task of an image. Asks a person before a second task is paid for. */
export class ImageTasks {
  private readonly submissionTurn: () => Promise<void>;
  /** Gives the task of an earlier attempt, unless that task failed. Otherwise a new task. */
  readonly once: BilledOnce<ImageInputs, Submitted>;

  constructor(readonly operation: Operation) {
    const { settings, service } = operation;
    this.submissionTurn = pacer(1000 / settings.imageSubmitsPerSecond, steady(service.clock));
    this.once = new BilledOnce(operation, {
      kind: "image",
      what: "image tasks",
      send: (inputs, resource, sending) => this.submit(inputs, resource, sending),
      noted: ({ taskId }) => ({ id: taskId }),
      resume: (request, inputs, resource) => this.resume(request, inputs, resource),
      unread: (taskId) => ({ taskId, taskStatus: unreadStatus, images: [] }),
      keeps: "taskOutput",
      question: (taskId, asked) => imageQuestion(taskId, undefined, asked),
    });
  }

  async adopted({ adoptTask }: ImageInputs, resource: Resource): Promise<Submitted | undefined> {
    if (adoptTask === undefined) return undefined;
    const task = await this.lookUp(adoptTask, resource);
    if (task.progress === "failed" || task.progress === "doubtful") {
      const advice = "Remove adoptTask to generate the image.";
      const why = task.progress === "failed" ? this.failed(task, resource).message : this.doubtOf(task, resource);
      throw new InputError(`adoptTask: ${why}`, { advice });
    }
    this.operation.log.line(
      `${resource.name}: takes over the task ${adoptTask}, as adoptTask says, instead of paying for another`,
    );
    return { taskId: adoptTask, taskStatus: task.taskStatus };
  }

  private async submit(inputs: ImageInputs, resource: Resource, sending: Sending): Promise<Submitted> {
    const { service, log, pictures } = this.operation;
    await pictures.at(inputs.saveTo)?.assertUsable(mostBytes(inputs));
    // Wait for the turn before the call and not before each attempt: the throttle may delay the attempts further.
    await this.submissionTurn();
    const submitted = await service.images.submit(inputs, { sending, secret: mayBeSecret(resource) });
    // If this machine and its journal are lost, a person can take the logged task over (adoptTask).
    log.line(`${resource.name}: submitted as the task ${submitted.taskId}`);
    return submitted;
  }

  private async resume({ id: taskId }: { id: string }, inputs: ImageInputs, resource: Resource) {
    const { log, questions } = this.operation;
    const pending = { ...inputs, taskId, taskStatus: "PENDING", images: [] };
    const task = await withPartialState(pending, () => this.lookUp(taskId, resource));
    const { taskStatus, progress } = task;
    if (progress === "failed") return undefined;
    if (progress === "doubtful") {
      const doubtful = this.payAgainQuestion(task, inputs, resource);
      if (questions.isAccepted(doubtful, againLine(resource))) return undefined;
      throw new InitializationFailed(taskId, { ...pending, taskStatus }, questions.textOf(doubtful));
    }
    log.line(
      `${resource.name}: goes on with the task ${taskId}, which an earlier attempt submitted, ` +
        "instead of paying for another. To generate a new image, change triggers",
    );
    return { taskId, taskStatus };
  }

  /**
   * Whether to replace this task by a new one: it has failed, or its status is doubtful and a person has agreed. Asked
   * in `diff`, so that the preview shows the replacement before it is paid for.
   */
  async isToBeReplaced(state: ImageOutputs, resource: Resource): Promise<boolean> {
    if (taskProgress(state.taskStatus) === "failed") return true;
    try {
      const task = isUnreadId(state.taskId) ? undefined : await this.lookUp(state.taskId, resource);
      if (task && task.progress !== "doubtful") return task.progress === "failed";
      const question = this.payAgainQuestion(task ?? state, state, resource);
      return this.once.mayPayAgain(question, resource);
    } catch (error) {
      this.operation.log.warn(`${resource.name}: ${describeThrown(error).message}`);
      return false;
    }
  }

  /** Looks a task up. A doubtful status is looked up again before it counts as the end of the task. */
  lookUp(taskId: string, resource: Pick<Resource, "secrets">): Promise<PolledTask> {
    return lookUpTask(taskId, this.pollingOf(resource));
  }

  pollingOf(resource: Pick<Resource, "secrets">) {
    const { settings, service } = this.operation;
    const { imagePollMs: pollMs, settleMs } = settings;
    return { client: service.images, secret: mayBeSecret(resource), clock: service.clock, pollMs, settleMs };
  }

  /** The question whether to submit and pay for a new task, although the service may still have this task. */
  payAgainQuestion(
    task: SeenTask,
    inputs: object,
    resource: Pick<Resource, "name" | "stack" | "identity" | "secrets">,
  ): Question {
    const said = isUnreadId(task.taskId) ? undefined : this.doubtOf(task, resource);
    return imageQuestion(task.taskId, said, this.once.asked(inputs, resource));
  }

  doubtOf({ taskId, taskStatus, message = "" }: SeenTask, resource: Pick<Resource, "secrets">): string {
    return doubtfulTask(taskId, taskStatus, message === "" ? "" : this.shown(message, resource));
  }

  failed(task: Task, resource: Pick<Resource, "secrets">): CloudVoiceError {
    const { taskId, taskStatus, code, requestId, message = "" } = task;
    const reason = this.shown(message, resource);
    return new CloudVoiceError(`the image task ${taskId} ended as ${taskStatus}: ${reason}`, { code, requestId });
  }

  /**
   * Copies the images of a task into the state. If no image is recognised, the state keeps the whole response, because
   * the images were paid for. Returns a warning, if there is one.
   */
  describe(state: DescribedImages, task: SucceededTask, resource: Pick<Resource, "secrets">): string | undefined {
    const most = state.n ?? mostUnasked;
    const results = task.results.slice(0, most);
    state.images = results.map((result, index) => imageOf(result, index, (reason) => this.shown(reason, resource)));
    const urls = state.images.flatMap(({ url }) => url ?? []);
    state.expiresAt = expiryOf(urls, this.operation.service.clock.now());
    if (results.some((result) => !("unknownForm" in result)))
      return results.length === task.results.length
        ? undefined
        : `the image task ${task.taskId} has ${task.results.length} images, but at most ${most} are expected (n): the others are left out`;
    state.taskOutput = task.raw;
    const { missing } = task;
    const cut =
      missing.length === 0 ? "" : `, without the rest of ${missing.join(", ")}, which is too long for a state`;
    return (
      `the image task ${task.taskId} succeeded, but no image was recognised in its response, which has ${task.fields}. ` +
      `The output taskOutput keeps the response${cut}. If it names the image, set the path in cloudvoice:forms ` +
      "(pictures), and run `pulumi up --refresh`"
    );
  }

  /** The service's reason, as far as messages may show it: it may quote a prompt, which may be secret. */
  private shown(reason: string, resource: Pick<Resource, "secrets">): string {
    return shownReason(reason, this.operation.settings.apiKey ?? "\0", mayBeSecret(resource));
  }
}

const unreadStatus = "UNREAD";

function imageOf(result: PictureEntry, index: number, shown: (reason: string) => string): ImageOutput {
  if ("unknownForm" in result)
    return { error: `image ${index + 1} is described in an unexpected form: it has ${result.unknownForm}` };
  if ("url" in result) return result;
  if ("content" in result) return result.actualPrompt === undefined ? {} : { actualPrompt: result.actualPrompt };
  const { code } = result;
  const message = shown(result.message);
  return code === undefined ? { error: message } : { error: `${code}: ${message}`, code };
}

/** If the work fails, the engine saves the resource with `state` as the work has left it. */
export async function withPartialState<T>(
  state: Omit<ImageOutputs, "saveTo"> & { saveTo?: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InitializationFailed) throw error;
    const reason = `${describeThrown(error).message} [task ${state.taskId}: kept, and not submitted again]`;
    throw new InitializationFailed(state.taskId, { ...state }, reason);
  }
}
