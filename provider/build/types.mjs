import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Deletes declaration files that no entry point refers to, and fails if one that stays refers to a package that the
 * user's program does not have itself. Types of another package are errors in some users' compilers: zod's are, in 63 places.
 */
export function removeInternalTypes(folder, entries, allowed) {
  const reachable = new Set();
  const visit = (file) => {
    if (reachable.has(file)) return;
    reachable.add(file);
    for (const reference of referencesIn(readFileSync(join(folder, file), "utf8"))) {
      if (reference.startsWith(".")) visit(resolve(folder, normalize(join(dirname(file), reference))));
      else if (!isAllowed(reference, allowed))
        throw new Error(`dist/${file} refers to ${reference}, whose types a user's compiler may refuse.`);
    }
  };
  entries.forEach(visit);
  for (const file of readdirSync(folder, { recursive: true }))
    if (file.endsWith(".d.ts") && !reachable.has(file)) rmSync(join(folder, file));
}

/** `from "…"`, `import "…"` and `import("…")`. */
function referencesIn(declarations) {
  return [...declarations.matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, reference]) => reference);
}

function resolve(folder, path) {
  return [`${path}.d.ts`, join(path, "index.d.ts")].find((file) => existsSync(join(folder, file)));
}

function isAllowed(reference, allowed) {
  return reference.startsWith("node:") || allowed.some((name) => `${reference}/`.startsWith(`${name}/`));
}
