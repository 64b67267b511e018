import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../local";

/** A property of a class or of an interface, as the source declares it. */
export interface Member {
  name: string;
  type: string;
  optional: boolean;
  description: string;
}

/**
 * The properties of a class, an interface or an object in a type, in order. Types and descriptions come from the source, so that pages and
 * hovers agree.
 */
export function membersOf(sourceFile: string, name: string): Member[] {
  const { source, members } = declarationOf(sourceFile, name);
  return members.flatMap((member) => {
    if (!ts.isPropertyDeclaration(member) && !ts.isPropertySignature(member)) return [];
    if (member.type === undefined) return [];
    return {
      name: member.name.getText(source),
      type: member.type
        .getText(source)
        .replace(/\s+/g, " ")
        .replace(/ \| undefined$/, ""),
      optional: member.questionToken !== undefined,
      description: descriptionOf(member, source),
    };
  });
}

/** The methods that an interface declares, each with the names of its parameters. */
export function methodsOf(sourceFile: string, name: string): Pick<Member, "name" | "description">[] {
  const { source, members } = declarationOf(sourceFile, name);
  return members.filter(ts.isMethodSignature).map((method) => {
    const parameters = method.parameters.map((each) => each.name.getText(source) + (each.questionToken ? "?" : ""));
    return {
      name: `${method.name.getText(source)}(${parameters.join(", ")})`,
      description: descriptionOf(method, source),
    };
  });
}

function declarationOf(sourceFile: string, name: string): { source: ts.SourceFile; members: ts.Node[] } {
  const text = readFileSync(join(root, sourceFile), "utf8");
  const source = ts.createSourceFile(sourceFile, text, ts.ScriptTarget.Latest, true);
  const isDeclaration = (node: ts.Node) =>
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  const declaration = source.statements.filter(isDeclaration).find((statement) => statement.name?.text === name);
  if (!declaration) throw new Error(`${sourceFile} declares no ${name}.`);
  if (!ts.isTypeAliasDeclaration(declaration)) return { source, members: [...declaration.members] };
  const parts = ts.isIntersectionTypeNode(declaration.type) ? [...declaration.type.types] : [declaration.type];
  return { source, members: parts.filter(ts.isTypeLiteralNode).flatMap(({ members }) => [...members]) };
}

function descriptionOf(member: ts.Node, source: ts.SourceFile): string {
  const documentation = ts.getJSDocCommentsAndTags(member).find(ts.isJSDoc);
  if (!documentation) return "";
  return documentation
    .getText(source)
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/\{@link (?:\w+\.)?(\w+)\}/g, "`$1`")
    .replace(/@example\s+```ts\s+(.*?)\s+```/s, "For example `$1`.")
    .replace(/\s+/g, " ")
    .trim();
}
