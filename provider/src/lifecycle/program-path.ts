import { isAbsolute, relative, sep } from "node:path";

/**
 * Makes absolute paths relative to the program's folder, in which this process runs, so that the state is valid on
 * every machine. Workaround: an inline program of the Automation API runs in another folder, so it uses absolute paths.
 */
export function withRelativePaths(props: Record<string, unknown>): Record<string, unknown> {
  const paths = ["audio", "saveTo"].flatMap((name) => {
    const path = props[name];
    if (typeof path !== "string" || !isAbsolute(path)) return [];
    return [[name, relative(process.cwd(), path).split(sep).join("/") || "."] as const];
  });
  return { ...props, ...Object.fromEntries(paths) };
}
