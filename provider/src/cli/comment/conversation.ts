import { CloudVoiceError } from "../../errors";

/** A comment on a pull request. */
interface Note {
  /** Higher for newer notes. */
  order: number;
  author: string | undefined;
  body: string;
  /** The path of the note in the API. */
  path: string;
}

/** The comments on one pull request, on one of the hosts. */
export interface Conversation {
  /** The author of comments that are written with this token. Undefined if the host does not report the author. */
  me(): Promise<string | undefined>;
  notes(): Promise<Note[]>;
  create(body: string): Promise<unknown>;
  update(note: Note, body: string): Promise<unknown>;
  /** The address of the page that this pipeline has published with the review. */
  page?(artifact: string | undefined): Promise<string | undefined>;
}

export type Behavior = "update" | "new";

/** Replaces the newest comment of the same author whose first line is `mark`, or posts a new comment. */
export async function post(
  conversation: Conversation,
  { mark, body }: { mark: string; body: string },
  behavior: Behavior,
): Promise<"posted" | "updated"> {
  const me = behavior === "update" ? await conversation.me() : undefined;
  const notes = behavior === "update" ? await conversation.notes() : [];
  const firstLineOf = ({ body: text }: Note) => text.slice(0, 1000).split("\n")[0]?.trimEnd();
  const replaceable = notes.filter((note) => firstLineOf(note) === mark && (me === undefined || note.author === me));
  for (const note of replaceable.sort((a, b) => b.order - a.order)) {
    try {
      await conversation.update(note, body);
      return "updated";
    } catch (error) {
      // If `me` is unknown, 403 means that the comment is somebody else's. Try the next comment then.
      if (me !== undefined || !CloudVoiceError.is(error) || error.status !== 403) throw error;
    }
  }
  await conversation.create(body);
  return "posted";
}
