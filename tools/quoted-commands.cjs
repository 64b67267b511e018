/**
 * A rule for ESLint: a text from outside, in a command that people copy, goes through `shellQuoted`. Otherwise the text
 * could run another command. A command begins with one of these names, and ends at the next backtick or line
 * end. Texts that are joined by `+` count as one.
 */
const start = /(?<![\w@/.-])(?:npx|pulumi|git|curl) /g;

module.exports = {
  meta: {
    type: "problem",
    schema: [],
    messages: { unquoted: "A shell could run a part of this. Write shellQuoted(…) (provider/src/rules/visible.ts)." },
  },
  create(context) {
    const isJoined = (node) => node.type === "BinaryExpression" && node.operator === "+";

    /** The parts of a text, in order: a string for what is written here, a node for what is not known. */
    function partsOf(node) {
      if (isJoined(node)) return [...partsOf(node.left), ...partsOf(node.right)];
      if (node.type === "Literal" && typeof node.value === "string") return [node.value];
      if (node.type !== "TemplateLiteral") return [node];
      return node.quasis.flatMap(({ value }, at) => [value.cooked, ...partsOf(node.expressions[at] ?? emptyText)]);
    }

    function check(node) {
      if (isJoined(node.parent) || (node.type === "BinaryExpression" && !isJoined(node))) return;
      let text = "";
      for (const part of partsOf(node)) {
        if (typeof part === "string") text += part;
        else {
          const begin = [...text.matchAll(start)].at(-1);
          const isInCommand = begin !== undefined && !/[`\n]/.test(text.slice(begin.index + begin[0].length));
          if (isInCommand && !/\bshellQuoted\b/.test(context.sourceCode.getText(part)))
            context.report({ node: part, messageId: "unquoted" });
          text += "…";
        }
      }
    }
    return { TemplateLiteral: check, BinaryExpression: check };
  },
};

const emptyText = { type: "Literal", value: "" };
