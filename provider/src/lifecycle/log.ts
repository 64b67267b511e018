import { visible } from "../rules/visible";

/** `progress`: the next one soon replaces it. `plan`: for a review, sent without the resource's URN. */
type LineKind = "info" | "warning" | "progress" | "plan";

/**
 * `text`: the whole line. `message`: the line without the prefixes `cloudvoice:` and `warning:`, for the engine, which
 * shows the resource and the severity itself.
 */
export type PrintLine = (text: string, line: { kind: LineKind; message: string }) => void;

/**
 * The log lines of one operation. Workaround: a dynamic provider cannot log at a resource, so the engine shows its
 * lines at the stack. Each line is printed only once, because the engine may call `check` and `diff` twice for one
 * resource.
 */
export class Log {
  private readonly printed = new Set<string>();

  constructor(private readonly print: PrintLine = (text) => console.log(text)) {}

  readonly line = (message: string): void => this.once(message, message);

  readonly warn = (message: string): void => this.warnOnce(message, message);

  readonly progress = (message: string): void => this.write(message, message, "progress");

  /** Prints a line that a review reads (rules/plan-line.ts), as it is. */
  plan(text: string): void {
    if (this.printed.has(text)) return;
    this.printed.add(text);
    this.print(text, { kind: "plan", message: text });
  }

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
    const shown = visible(message);
    this.print(`cloudvoice: ${kind === "warning" ? "warning: " : ""}${shown}`, { kind, message: shown });
  }
}
