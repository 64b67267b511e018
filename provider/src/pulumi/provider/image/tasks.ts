import { describeThrown } from "../../../describe-thrown";
import { CloudVoiceError, InputError } from "../../../errors";
import { type ImageOutputs, taskProgress } from "../../../rules/image";
import { type ImageInputs, imageInputs } from "../../../rules/image-inputs";
import { replacingValues } from "../../../rules/inputs";
import { doubtfulTask, imageQuestion } from "../../../rules/pay-again";
import type { Question } from "../../../rules/question";
import { isUnread, isUnreadId, unreadIdOf } from "../../../service/billed-requests";
import { pacer, steady } from "../../../service/clock";
import type { Task } from "../../../service/images/client";
import { type FoundTask, lookUpTask } from "../../../service/images/wait";
import { shownReason } from "../../../service/redact";
import { stackOfUrn } from "../../../stacks/names";
import { leftBehind } from "../left-behind";
import { InitializationFailed, mayBeSecret, type Resource } from "../lifecycle";
import type { Operation } from "../operation";
import { requestKey } from "../request-key";

export type Submitted = Pick<ImageOutputs, "taskId" | "taskStatus" | "requestId">;
type SeenTask = Pick<Task, "taskId" | "taskStatus"> & { message?: string | undefined };

/**
 * Where the task of an image comes from: it is adopted, found as an earlier attempt left it, or submitted. Also asks a
 * person before another one is paid for in its place.
 */
export class ImageTasks {
  private readonly submissionTurn: () => Promise<void>;

  constructor(private readonly operation: Operation) {
    const { settings, service } = operation;
    this.submissionTurn = pacer(1000 / settings.imageSubmitsPerSecond, steady(service.clock));
  }

  async adopted({ adoptTask }: ImageInputs, resource: Resource): Promise<Submitted | undefined> {
    if (adoptTask === undefined) return undefined;
    const task = await this.lookUp(adoptTask, resource);
    if (task.progress === "failed" || task.progress === "doubtful") {
      const advice = "Take adoptTask out to generate the image.";
      const why = task.progress === "failed" ? this.failed(task, resource).message : this.doubtOf(task, resource);
      throw new InputError(`adoptTask: ${why}`, { advice });
    }
    this.operation.log.line(
      `${resource.name}: takes over the task ${adoptTask}, as adoptTask says, instead of paying for another`,
    );
    return { taskId: adoptTask, taskStatus: task.taskStatus };
  }

  /**
   * The task that an earlier attempt submitted for this resource, unless it ended badly. The service lists no tasks, so
   * one whose id is lost can't be found again. Workaround: the engine saves an id only when `create` ends, so the
   * journal gets it as soon as it is known.
   */
  async interrupted(inputs: ImageInputs, resource: Resource): Promise<Submitted | undefined> {
    const { log, questions } = this.operation;
    const key = await this.keyOf(inputs, resource);
    const state = { ...inputs, ...unreadTask(unreadIdOf(key)) };
    const question = this.payAgainQuestion(state, inputs, resource);
    const request = { name: resource.name, what: "image tasks", question, again: again(resource), canAdopt: true };
    const note = await leftBehind(this.operation, key, request);
    if (note === undefined) return undefined;
    if (note.answered) {
      if (await questions.isAccepted(question, again(resource))) return undefined;
      return this.failUnread(key, state, resource);
    }
    if (note.id === undefined) {
      const end = note.lost ? "got no usable response to its submission of" : "was interrupted while it submitted";
      log.line(
        `${resource.name}: an earlier attempt ${end} this task. The service lists no tasks, so it is submitted again, ` +
          "and the first one may have been billed",
      );
      return undefined;
    }
    const { id: taskId } = note;
    const pending = { ...inputs, taskId, taskStatus: "PENDING", images: [] };
    const found = await withPartialState(pending, () => this.lookUp(taskId, resource));
    const { taskStatus, progress } = found;
    if (progress === "failed") return undefined;
    if (progress === "doubtful") {
      const doubtful = this.payAgainQuestion(found, inputs, resource);
      if (await questions.isAccepted(doubtful, again(resource))) return undefined;
      throw new InitializationFailed(taskId, { ...pending, taskStatus }, await questions.textOf(doubtful), true);
    }
    log.line(
      `${resource.name}: goes on with the task ${taskId}, which an earlier attempt submitted, ` +
        "instead of paying for another. To make another, change triggers",
    );
    return { taskId, taskStatus };
  }

  async submit(inputs: ImageInputs, resource: Resource): Promise<Submitted> {
    const { service, billed, log } = this.operation;
    // Wait for the turn before the call and not before each attempt: the throttle may delay the attempts further.
    await this.submissionTurn();
    const key = await this.keyOf(inputs, resource);
    try {
      return await billed.send(
        "images",
        key,
        async (sending) => {
          const submitted = await service.images.submit(inputs, { sending, secret: mayBeSecret(resource) });
          // At once: if this machine and its journal are lost, a person can take the task over (adoptTask).
          log.line(`${resource.name}: submitted as the task ${submitted.taskId}`);
          return submitted;
        },
        ({ taskId }) => ({ id: taskId }),
      );
    } catch (error) {
      if (!isUnread(error)) throw error;
      const { received } = error as { received?: unknown };
      const state = {
        ...inputs,
        ...unreadTask(unreadIdOf(key, error)),
        ...(received !== undefined && { taskOutput: received }),
      };
      return this.failUnread(key, state, resource, error);
    }
  }

  /**
   * Whether to submit another task in place of this one: it failed, or it is doubtful and a person has agreed. The
   * preview then shows the replacement before it is paid for.
   */
  async isToBeReplaced(state: ImageOutputs, resource: Resource): Promise<boolean> {
    const { questions, log } = this.operation;
    if (taskProgress(state.taskStatus) === "failed") return true;
    try {
      const task = isUnreadId(state.taskId) ? undefined : await this.lookUp(state.taskId, resource);
      if (task && task.progress !== "doubtful") return task.progress === "failed";
      const question = this.payAgainQuestion(task ?? state, state, resource);
      if (await questions.isAccepted(question, again(resource))) return true;
      // A refresh of a dynamic provider does not know the stack, so it would compute the id of another question.
      if (resource.identity !== undefined) log.warn(await questions.textOf(question));
    } catch (error) {
      log.warn(`${resource.name}: ${describeThrown(error).message}`);
    }
    return false;
  }

  /** Looks a task up. A doubtful state is looked up again before it counts as the end. */
  lookUp(taskId: string, resource: Pick<Resource, "secrets">): Promise<FoundTask> {
    return lookUpTask(taskId, this.pollingOf(resource));
  }

  pollingOf(resource: Pick<Resource, "secrets">) {
    const { settings, service } = this.operation;
    const { imagePollMs: pollMs, settleMs } = settings;
    return { client: service.images, secret: mayBeSecret(resource), clock: service.clock, pollMs, settleMs };
  }

  private async failUnread(
    key: string,
    state: ImageOutputs,
    resource: Resource,
    error?: CloudVoiceError,
  ): Promise<never> {
    const failure = await this.unreadFailure(state, resource, error);
    // The state now has the task, so the note is not needed.
    await this.operation.journal.remove(key);
    throw failure;
  }

  /**
   * A submission that was probably billed, and whose response was not understood: it is kept, and never sent again by
   * itself.
   */
  async unreadFailure(state: ImageOutputs, resource: Resource, error?: CloudVoiceError) {
    const found =
      state.taskOutput === undefined ? "" : ` What came is the output taskOutput: ${shownStart(state.taskOutput)}.`;
    const question = await this.operation.questions.textOf(this.payAgainQuestion(state, state, resource));
    const reason = `${error ? `${error.message} ` : ""}${question}${found}`;
    return new InitializationFailed(state.taskId, { ...state }, reason, true);
  }

  /** The question whether to submit and pay for another task, although the service may still have this one. */
  payAgainQuestion(
    task: SeenTask,
    inputs: object,
    resource: Pick<Resource, "name" | "identity" | "secrets">,
  ): Question {
    const { settings } = this.operation;
    const urn = resource.identity?.savedUrn ?? resource.identity?.urn;
    const asked = {
      name: resource.name,
      origin: settings.imageBaseUrl,
      stack: stackOfUrn(urn),
      urn,
      inputs,
      prices: settings,
    };
    return imageQuestion(task.taskId, isUnreadId(task.taskId) ? undefined : this.doubtOf(task, resource), asked);
  }

  doubtOf({ taskId, taskStatus, message = "" }: SeenTask, resource: Pick<Resource, "secrets">): string {
    return doubtfulTask(taskId, taskStatus, message === "" ? "" : this.shown(message, resource));
  }

  failed({ taskId, taskStatus, code, message = "" }: Task, resource: Pick<Resource, "secrets">): CloudVoiceError {
    const reason = this.shown(message, resource);
    return new CloudVoiceError(`the image task ${taskId} ended as ${taskStatus}: ${reason}`, { code });
  }

  /** The service may quote a prompt, which may be secret. */
  shown(reason: string, resource: Pick<Resource, "secrets">): string {
    return shownReason(reason, this.operation.settings.apiKey ?? "\0", mayBeSecret(resource));
  }

  private keyOf(inputs: ImageInputs, resource: Resource): Promise<string> {
    const fingerprint = this.operation.service.imageFingerprint();
    return requestKey(this.operation, "image", fingerprint, resource, replacingValues(imageInputs, inputs));
  }
}

const again = ({ name }: Resource) => `${name}: another task is submitted`;

const unreadTask = (taskId: string) => ({ taskId, taskStatus: "UNREAD", images: [] });

const mostShown = 500;

function shownStart(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)} …`;
}

/** If the work fails, the engine saves the resource as `state` is by then. */
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
