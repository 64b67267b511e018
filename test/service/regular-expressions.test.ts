import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { root } from "../support/files";

/** Every regular expression of the package meets texts from outside, so none may take longer than in proportion to them. */

interface Found {
  at: string;
  expression: RegExp;
}

function expressionsIn(file: string): Found[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, pattern = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
      const { line } = source.getLineAndCharacterOfPosition(node.end);
      const at = `${relative(root, file)}:${line + 1} ${node.text}`;
      // As often as it matches, as in `replaceAll` and `split`.
      found.push({ at, expression: new RegExp(pattern, `${flags.replace(/[gy]/g, "")}g`) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const folder = join(root, "provider", "src");
const expressions = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.[tj]s$/.test(name))
  .flatMap((name) => expressionsIn(join(folder, name)));

const usual = [
  ...["a", "A", "0", " ", "\n", ".", "-", "/", ":", ";", "<", "%", "\\", "(", "[", '"', "=", ",", "é", "声"],
  ...["a0", "a.", " .", "0a", "a:", "a-"],
];

/** What the expression itself names: its letters, and the words in it. */
function partsOf({ source }: RegExp): string[] {
  const plain = source.replace(/\\[swdWDSb]|\\x[0-9a-f]{2}|\\[pP]\{[^}]*\}/g, " ").replace(/\\(.)/g, "$1");
  return [...new Set([...plain.split(""), ...(plain.match(/[\w:/<>!.\-"'=,;@#& ]{2,20}/g) ?? [])])];
}

const textOf = (start: string, unit: string, length: number) =>
  `${start}${unit.repeat(Math.ceil(length / unit.length))}\u0001`;

/** Of the processor, because other processes take the time of the clock. */
function msOf(expression: RegExp, text: string): number {
  const before = process.cpuUsage();
  text.replace(expression, "");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The text of few letters, each repeated, that takes longest. It stops at one that takes far too long. */
function worstText(expression: RegExp): (length: number) => string {
  const own = partsOf(expression);
  const words = own.filter((part) => part.length > 1).slice(0, 8);
  const letters = own.filter((part) => part.length === 1).slice(0, 4);
  let worst = { start: "", unit: "a", ms: 0 };
  for (const start of ["", ...words, ...letters])
    for (const unit of new Set([...usual, ...own])) {
      const text = textOf(start, unit, 1500);
      const ms = Math.min(msOf(expression, text), msOf(expression, text));
      if (ms > worst.ms) worst = { start, unit, ms };
      if (ms > 20) return (length) => textOf(start, unit, length);
    }
  return (length) => textOf(worst.start, worst.unit, length);
}

/** Four times the text takes four times as long, and sixteen times in a square. Below a millisecond nothing can be said. */
const grows = (few: number, many: number, leastMs: number) => many > leastMs && many > few * 9;

test("no expression takes more time than in proportion to a hostile text, up to one of 1 MB", () => {
  expect(expressions.length).toBeGreaterThan(200);
  const isSlow = ({ expression }: (typeof expressions)[number]) => {
    const text = worstText(expression);
    const leastMs = (length: number) => Math.min(...[1, 2, 3].map(() => msOf(expression, text(length))));
    return (
      grows(leastMs(1500), leastMs(6000), 1) ||
      grows(msOf(expression, text(2 ** 18)), msOf(expression, text(2 ** 20)), 200)
    );
  };
  // Another process may have taken the time of one measurement, and not of each.
  const slow = expressions.filter(isSlow).filter(isSlow).filter(isSlow);
  expect(slow.map(({ at }) => at)).toEqual([]);
});
