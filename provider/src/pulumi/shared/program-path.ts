import { isAbsolute, relative, sep } from "node:path";

/**
 * Absolute paths become relative to the folder of the provider process, so that the state fits every machine. That is
 * the program's. Workaround: an inline program of the Automation API runs in another one, and uses absolute paths.
 */
export function withRelativePaths(props: Record<string, unknown>): Record<string, unknown> {
  const paths = ["audio", "saveTo"].flatMap((name) => {
    const path = props[name];
    if (typeof path !== "string" || !isAbsolute(path)) return [];
    return [[name, relative(process.cwd(), path).split(sep).join("/") || "."] as const];
  });
  return { ...props, ...Object.fromEntries(paths) };
}
