import { createHash } from "node:crypto";
import type { CloudVoiceError } from "../errors";
import { replacingValues } from "../rules/inputs";
import { type Asked, ofUnprovenNote } from "../rules/questions";
import type { Question } from "../rules/question";
import { resources } from "../rules/resources";
import { isUnread, type Sending } from "../service/billed-requests";
import type { JournalNote } from "../service/journal/note";
import { InitializationFailed, mayBeSecret, type Props, type Resource } from "./lifecycle";
import type { Operation } from "./operation";

const unreadMark = "unread-"; // @persisted

/** Whether an id comes from {@link unreadIdOf}. Then the response to the create of its resource was not understood. */
export const isUnreadId = (id: string) => id.startsWith(unreadMark);

/**
 * The id of a resource whose create got a response that was not understood. `key`: the key of the note about the
 * request. After a kill the request id is not known, and only the key identifies the request.
 */
export function unreadIdOf(key: string, { requestId = "" }: Pick<CloudVoiceError, "requestId"> = {}): string {
  return `${unreadMark}${createHash("sha256")
    .update(JSON.stringify([key, requestId]))
    .digest("hex")
    .slice(0, 12)}`;
}

/** A kind of request whose result is only in its own response, because the service does not list tasks or answers. */
interface UnlistedRequest<Inputs extends object, Result> {
  kind: "image" | "decision";
  /** The billed things, in the plural, for messages: `image tasks`. */
  what: string;
  send: (inputs: Inputs, resource: Resource, sending: Sending) => Promise<Result>;
  /** The part of the result that the journal keeps until the state has the result. */
  noted: (result: Result) => Pick<JournalNote, "id" | "result">;
  /** The result of the request that an earlier attempt sent. Undefined if the request must be sent again. */
  resume: (
    note: JournalNote & { id: string },
    inputs: Inputs,
    resource: Resource,
  ) => Promise<Result | "unread" | undefined>;
  /** The outputs of a resource whose request got a response that was not understood. */
  unread: (id: string, requestId: string) => object;
  /** The output that keeps a response that was not understood. */
  keeps: "taskOutput" | "received";
  /** The question whether to pay for the request again. `id`: the id of the resource. */
  question: (id: string, asked: Asked) => Question;
}

/**
 * Does not send a billed request again if an earlier run sent it and the journal has the outcome. Workaround: the
 * engine saves an id only when `create` ends, and the run can be killed before that. A request whose response was not
 * understood is saved as a resource, and is sent again only if a person agrees.
 */
export class BilledOnce<Inputs extends object, Result> {
  constructor(
    private readonly operation: Operation,
    private readonly request: UnlistedRequest<Inputs, Result>,
  ) {}

  async result(inputs: Inputs, resource: Resource): Promise<Result> {
    const key = this.keyOf(inputs, resource);
    return (await this.ofEarlierAttempt(key, inputs, resource)) ?? (await this.send(key, inputs, resource));
  }

  question(id: string, inputs: object, resource: Resource): Question {
    return this.request.question(id, this.asked(inputs, resource));
  }

  /** The facts for the question whether to pay for a request of this resource again. */
  asked(inputs: object, { name, stack, identity }: Pick<Resource, "name" | "stack" | "identity">): Asked {
    const { settings, service } = this.operation;
    const urn = identity?.savedUrn ?? identity?.urn;
    return { name, account: service.fingerprintOf(this.request.kind), stack, urn, inputs, prices: settings };
  }

  /** If no person has agreed to pay again, logs the question as a warning. */
  mayPayAgain(question: Question, resource: Resource): boolean {
    const { questions, log, plan } = this.operation;
    if (questions.isAccepted(question, againLine(resource))) return true;
    plan.ask(resource, question, questions.idOf(question));
    log.warn(questions.textOf(question));
    return false;
  }

  /**
   * The failure with which the engine saves a request that was probably billed, and whose response was not understood.
   */
  unreadFailure(id: string, state: object, resource: Resource, error?: Error): InitializationFailed {
    const question = this.operation.questions.textOf(this.question(id, state, resource));
    const response = (state as Props)[this.request.keeps];
    const isShown = response !== undefined && !mayBeSecret(resource);
    const parts = [
      error?.message,
      question,
      isShown && `Output \`${this.request.keeps}\` has the response: ${startOf(response)}.`,
    ];
    return new InitializationFailed(id, state, parts.filter(Boolean).join(" "));
  }

  private async ofEarlierAttempt(key: string, inputs: Inputs, resource: Resource): Promise<Result | undefined> {
    const { request } = this;
    const { questions, log } = this.operation;
    const note = await this.earlierRequest(key);
    if (note === undefined) return undefined;
    const question = this.question(unreadIdOf(key), inputs, resource);
    if (note.unproven) {
      questions.assertAccepted(ofUnprovenNote(resource.name, question), againLine(resource));
      return undefined;
    }
    const { id, isUnread: wasUnread, gaveUp } = note;
    const result = wasUnread ? "unread" : id && (await request.resume({ ...note, id }, inputs, resource));
    if (result === "unread") {
      if (questions.isAccepted(question, againLine(resource))) return undefined;
      return this.failUnread(key, inputs, resource);
    }
    if (id === undefined) {
      const how = gaveUp ? "got no usable response" : "was interrupted";
      log.line(
        `${resource.name}: an earlier attempt ${how}. The service does not list ${request.what}, so the request is ` +
          "sent again. The first one may have been billed",
      );
    }
    return result as Result | undefined;
  }

  /** Waits for an outcome that the process of a killed engine may still note. */
  private earlierRequest(key: string): Promise<JournalNote | undefined> {
    const { journal, settings, log } = this.operation;
    const { what } = this.request;
    return journal.awaitOutcome(key, settings.requestTimeoutMs, (waitMs) =>
      log.once(
        `interrupted ${what}`,
        `an earlier attempt was interrupted while it waited for ${what}. Its process may still be running and ` +
          `note the result in the journal, so this run waits for up to ${Math.ceil(waitMs / 1000)} s (requestTimeoutSeconds)`,
      ),
    );
  }

  private async send(key: string, inputs: Inputs, resource: Resource): Promise<Result> {
    const { send, noted, kind } = this.request;
    try {
      return await this.operation.billed.send(`${kind}s`, key, (sending) => send(inputs, resource, sending), noted);
    } catch (error) {
      if (!isUnread(error)) throw error;
      return this.failUnread(key, inputs, resource, error);
    }
  }

  private async failUnread(
    key: string,
    inputs: Inputs,
    resource: Resource,
    error?: CloudVoiceError & { received?: unknown },
  ): Promise<never> {
    const { unread, keeps } = this.request;
    const [id, received] = [unreadIdOf(key, error), error?.received];
    const outputs = unread(id, error?.requestId ?? "");
    const state = { ...inputs, ...outputs, ...(received !== undefined && { [keeps]: received }) };
    const failure = this.unreadFailure(id, state, resource, error);
    // The engine saves the request with this failure, so the journal's note is not needed any more.
    await this.operation.journal.remove(key);
    throw failure;
  }

  /** Contains only facts that every run knows: otherwise the next run would not find the note. */
  private keyOf(inputs: Inputs, { label, identity }: Resource): string {
    const { journal, service, namingIdentity } = this.operation;
    const { kind } = this.request;
    const parts = [kind, service.fingerprintOf(kind), namingIdentity(identity)?.namespace ?? "", label];
    return journal.keyOf(...parts, ...replacingValues(resources[kind].inputs, inputs));
  }
}

export const againLine = ({ name }: Pick<Resource, "name">) => `${name}: the request is sent again`;

const mostShown = 500;

function startOf(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)} …`;
}
