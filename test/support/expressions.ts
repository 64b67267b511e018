import { buildSync } from "esbuild";
import type * as GitHub from "@actions/expressions";
import { root } from "./files";

/** GitHub's evaluator is an ES module with a class `Array`, and Jest hands its modules a variable of that name. */
function load(): typeof GitHub {
  const source = { contents: 'export * from "@actions/expressions";', resolveDir: root };
  const [file] = buildSync({
    stdin: source,
    bundle: true,
    format: "iife",
    globalName: "github",
    write: false,
  }).outputFiles;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- the text of a package in package-lock.json
  return new Function(`${file?.text ?? ""}; return github;`)() as typeof GitHub;
}
const { data, Evaluator, Lexer, Parser } = load();

/** The values of `github`, `inputs`, `steps`, … in an expression. */
export type Contexts = Record<string, unknown>;

/** How the job is doing, for `success()`, `failure()` and `cancelled()`; and the files that `hashFiles` finds. */
export interface Status {
  failed?: boolean;
  cancelled?: boolean;
  files?: string[];
}

const statusFunctions = ["always", "success", "failure", "cancelled"];

/** The value of an expression, by GitHub's own evaluator. */
export function evaluate(expression: string, contexts: Contexts, status: Status = {}): unknown {
  const { failed = false, cancelled = false, files = [] } = status;
  const text = (value: unknown) => new data.BooleanData(Boolean(value));
  const functions = [
    { name: "always", minArgs: 0, maxArgs: 0, call: () => text(true) },
    { name: "success", minArgs: 0, maxArgs: 0, call: () => text(!failed && !cancelled) },
    { name: "failure", minArgs: 0, maxArgs: 0, call: () => text(failed) },
    { name: "cancelled", minArgs: 0, maxArgs: 0, call: () => text(cancelled) },
    {
      ...{ name: "hashfiles", minArgs: 1, maxArgs: 255 },
      call: (...names: GitHub.data.ExpressionData[]) =>
        new data.StringData(names.some((name) => files.includes(name.coerceString())) ? "abc" : ""),
    },
  ];
  const parsed = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), functions).parse();
  const known = JSON.parse(JSON.stringify(contexts), data.reviver) as GitHub.data.Dictionary;
  const named = new Map(functions.map((each) => [each.name, each]));
  return JSON.parse(JSON.stringify(new Evaluator(parsed, known, named).evaluate(), data.replacer));
}

/** A text with `${{ … }}` in it. */
export function fill(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/gs, (_, expression: string) => {
    const value = evaluate(expression.trim(), contexts);
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  });
}

/** Whether a job or a step runs. Without a status function it needs the success of those before it. */
export function runs(condition: string | undefined, contexts: Contexts, status: Status = {}): boolean {
  const expression = (condition ?? "success()").replace(/^\$\{\{(.*)\}\}$/s, "$1").trim();
  const statesStatus = statusFunctions.some((name) => expression.includes(`${name}(`));
  return Boolean(evaluate(statesStatus ? expression : `success() && (${expression})`, contexts, status));
}
