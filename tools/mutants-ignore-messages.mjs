/**
 * A plugin for StrykerJS: it makes no mutants inside the texts that people read.
 *
 * An emptied error message would be caught only by a test that repeats the whole message, and such a test fails at
 * every change of wording. A string or template that contains a space is such a text. Strings without a space
 * (states, codes, field names, separators) carry decisions and are still mutated.
 */
export const strykerPlugins = [
  {
    kind: "Ignore",
    name: "messages",
    value: {
      /** Returns the reason for the report, or undefined to mutate the node. */
      shouldIgnore(path) {
        const isMessage =
          (path.isStringLiteral() && path.node.value.includes(" ")) ||
          (path.isTemplateLiteral() && path.node.quasis.some(({ value }) => value.raw.includes(" ")));
        return isMessage ? "The text of a message is not a decision." : undefined;
      },
    },
  },
];
