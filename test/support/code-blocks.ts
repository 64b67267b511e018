/** The blocks of code in a page that are in one of these languages, in their order, without the indent of a list. */
export const codeBlocks = (page: string, ...languages: string[]): string[] =>
  [...page.matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)].flatMap(([, indent = "", language = "", code = ""]) =>
    languages.includes(language) ? [code.replaceAll(new RegExp(`^${indent}`, "gm"), "")] : [],
  );
