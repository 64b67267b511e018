/**
 * The log lines of one operation. The engine shows them under the stack; a dynamic provider cannot log at a resource.
 * The engine may call `check` and `diff` twice for one resource, so a line that was printed is not printed again.
 */
export class Log {
  private readonly printed = new Set<string>();

  constructor(private readonly print: (line: string) => void = console.log) {}

  readonly line = (line: string): void => {
    this.once(line, line);
  };

  readonly warn = (line: string): void => {
    this.line(`warning: ${line}`);
  };

  /** Prints the first line about a topic, however later ones are worded. */
  once(topic: string, line: string): void {
    if (this.printed.has(topic)) return;
    this.printed.add(topic);
    this.print(`cloudvoice: ${line}`);
  }
}
