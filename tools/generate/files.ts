import { format, resolveConfig } from "prettier";
import { argumentsFile } from "./arguments";
import { resources } from "./resources";
import { pluginSchema } from "./plugin-schema";
import { inputTable, outputTable, settingTable } from "./tables";

export interface GeneratedFile {
  /** Relative to the repository. */
  path: string;
  content: string;
}

/** Every generated file. `read` returns the present text of a file that is generated only in part. */
export async function generatedFiles(read: (path: string) => string): Promise<GeneratedFile[]> {
  const path = "provider/src/pulumi/program/args.ts";
  const options = { ...(await resolveConfig(path, { editorconfig: false })), printWidth: 120, filepath: path };
  return [
    { path, content: await format(argumentsFile(), options) },
    ...resources.map((resource) => {
      const { content } = part(read, resource.page, "inputs", inputTable(resource));
      return part(() => content, resource.page, "outputs", outputTable(resource));
    }),
    { path: "provider/plugin/schema.json", content: `${JSON.stringify(pluginSchema(), null, 2)}\n` },
    part(read, "docs/settings.md", "settings", settingTable()),
  ];
}

/** A file whose text between two marks is generated. */
function part(read: (path: string) => string, path: string, name: string, text: string): GeneratedFile {
  const begin = `<!-- generated: ${name} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const present = read(path);
  const [before, rest] = present.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`${path} has no part between ${begin.trim()} and ${end}.`);
  return { path, content: `${before}${begin}\n${text}\n\n${end}${after}` };
}
