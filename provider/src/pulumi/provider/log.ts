import { visible } from "../../rules/visible";

/** The kind of a line. A progress line is soon replaced by the next. */
type LineKind = "info" | "warning" | "progress";

/** `text` is the whole line; `message` is the line without the prefixes that its place makes superfluous. */
export type PrintLine = (text: string, line: { kind: LineKind; message: string }) => void;

/**
 * The log lines of one operation. Workaround: a dynamic provider cannot log at a resource, so its lines are under the
 * stack. The engine may call `check` and `diff` twice for one resource, so no line is printed a second time.
 */
export class Log {
  private readonly printed = new Set<string>();

  constructor(private readonly print: PrintLine = (text) => console.log(text)) {}

  readonly line = (message: string): void => this.once(message, message);

  readonly warn = (message: string): void => this.warnOnce(message, message);

  readonly progress = (message: string): void => this.write(message, message, "progress");

  /** Prints only the first line about a topic, even if later lines differ. */
  once(topic: string, message: string): void {
    this.write(topic, message, "info");
  }

  warnOnce(topic: string, message: string): void {
    this.write(`warning: ${topic}`, message, "warning");
  }

  private write(topic: string, message: string, kind: LineKind): void {
    if (this.printed.has(topic)) return;
    this.printed.add(topic);
    // Names in the message come from outside, and may have invisible characters.
    const shown = visible(message);
    this.print(`cloudvoice: ${kind === "warning" ? "warning: " : ""}${shown}`, { kind, message: shown });
  }
}
