/** A comment on a pull request. */
interface Comment {
  /** Higher for newer comments. */
  order: number;
  author: string | undefined;
  body: string;
  /** The path of the comment in the API. */
  path: string;
}

/** The comments on one pull request, on one of the hosts. */
export interface Conversation {
  /** The author of comments that are written with this token. */
  me(): Promise<string>;
  comments(): Promise<Comment[]>;
  create(body: string): Promise<unknown>;
  update(comment: Comment, body: string): Promise<unknown>;
  /** The address of the page that this pipeline has published with the review. */
  page(artifact: string | undefined): Promise<string | undefined>;
}

export type Behavior = "update" | "new";

/** Replaces the newest comment of the same author whose first line is `mark`, or posts a new comment. */
export async function post(
  conversation: Conversation,
  { mark, body }: { mark: string; body: string },
  behavior: Behavior,
): Promise<"posted" | "updated"> {
  if (behavior === "update") {
    const [me, comments] = [await conversation.me(), await conversation.comments()];
    const firstLineOf = ({ body: text }: Comment) => text.slice(0, 1000).split("\n")[0]?.trimEnd();
    const [newest] = comments
      .filter((comment) => comment.author === me && firstLineOf(comment) === mark)
      .sort((a, b) => b.order - a.order);
    if (newest !== undefined) {
      await conversation.update(newest, body);
      return "updated";
    }
  }
  await conversation.create(body);
  return "posted";
}
