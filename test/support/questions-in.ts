/** The ids of the questions in a text, each once, in the form that answers all of them. */
export function questionsIn(text: string): Set<string> {
  return new Set([...text.matchAll(/CLOUDVOICE_ACCEPT=([\w-]+)/g)].map(([, id]) => String(id)));
}
