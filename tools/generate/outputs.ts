import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../local";

/** An output of a resource, as its class declares it. */
export interface OutputDescription {
  name: string;
  type: string;
  description: string;
}

/**
 * The outputs that a class declares, in its order. Their types and descriptions are read from the source, so that the
 * pages and the hovers say the same.
 */
export function outputsOf(sourceFile: string, className: string): OutputDescription[] {
  const text = readFileSync(join(root, sourceFile), "utf8");
  const source = ts.createSourceFile(sourceFile, text, ts.ScriptTarget.Latest, true);
  const declaration = source.statements.find(
    (statement): statement is ts.ClassDeclaration =>
      ts.isClassDeclaration(statement) && statement.name?.text === className,
  );
  if (!declaration) throw new Error(`${sourceFile} has no class ${className}.`);
  return declaration.members.filter(ts.isPropertyDeclaration).flatMap((member) => {
    const type = /^pulumi\.Output<(.*)>$/s.exec(member.type?.getText(source) ?? "")?.[1];
    if (type === undefined) return [];
    const name = member.name.getText(source);
    return [{ name, type, description: descriptionOf(member, source) }];
  });
}

function descriptionOf(member: ts.PropertyDeclaration, source: ts.SourceFile): string {
  const documentation = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
  if (!documentation) return "";
  return documentation
    .getText(source)
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/\{@link (?:\w+\.)?(\w+)\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
}
