/** The blocks of code in a page that are in one of these languages, in their order. */
export const codeBlocks = (page: string, ...languages: string[]): string[] =>
  [...page.matchAll(/^ *```(\w+)\n(.*?)^ *```/gms)].flatMap(([, language = "", code = ""]) =>
    languages.includes(language) ? [code] : [],
  );
