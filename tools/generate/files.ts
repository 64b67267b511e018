import { format, resolveConfig } from "prettier";
import { actionBundle } from "./action";
import { exampleChooser } from "./examples";
import { namesFile, providerArgsFile, resourcesFile } from "./program";
import { resources } from "./resources";
import { pluginSchema } from "./plugin-schema";
import { addedOutputs } from "../../provider/src/rules/resources";
import { voiceListOutputs } from "./functions";
import { argumentTable, inputTable, memberTable, methodTable, outputTable, settingTable } from "./tables";

export interface GeneratedFile {
  /** Relative to the repository. */
  path: string;
  content: string;
}

const generated = "provider/generated";
const catalog = "provider/src/program/voice-catalog.ts";
const getVoices = "provider/src/program/invokes.ts";

/** Every generated file. `read` returns the current text of a file that is generated in part. */
export async function generatedFiles(read: (path: string) => string): Promise<GeneratedFile[]> {
  return [
    await code(`${generated}/resources.ts`, resourcesFile()),
    await code(`${generated}/names.ts`, namesFile()),
    await code(`${generated}/provider-args.ts`, providerArgsFile()),
    ...resources.map((resource) =>
      parts(read, resource.page, {
        inputs: inputTable(resource),
        outputs: outputTable("output", resource.outputs, addedOutputs(resource)),
      }),
    ),
    parts(read, "docs/voice-catalog.md", {
      inputs: argumentTable("input", catalog, "VoiceCatalogArgs"),
      outputs: memberTable(catalog, "VoiceCatalog"),
    }),
    parts(read, "docs/get-voices.md", {
      arguments: argumentTable("argument", getVoices, "GetVoicesArgs"),
      result: outputTable("field", voiceListOutputs),
    }),
    { path: "provider/plugin/schema.json", content: `${JSON.stringify(pluginSchema(), null, 2)}\n` },
    parts(read, "docs/_index.md", { example: exampleChooser("voice") }),
    parts(read, "docs/testing.md", { methods: methodTable("provider/emulator/types.ts", "Emulator") }),
    { path: "actions/review/run/index.js", content: await actionBundle() },
    parts(read, "docs/settings.md", { settings: settingTable() }),
  ];
}

async function code(path: string, content: string): Promise<GeneratedFile> {
  const options = { ...(await resolveConfig(path, { editorconfig: false })), printWidth: 120, filepath: path };
  return { path, content: await format(content, options) };
}

/** A file with generated texts between marks, which have these names. */
function parts(read: (path: string) => string, path: string, texts: Record<string, string>): GeneratedFile {
  const content = Object.entries(texts).reduce((present, [name, text]) => {
    const begin = `<!-- generated: ${name} -->\n`;
    const end = `<!-- end of ${name} -->`;
    const [before, rest] = present.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined)
      throw new Error(`${path} has no part between ${begin.trim()} and ${end}.`);
    return `${before}${begin}\n${text}\n\n${end}${after}`;
  }, read(path));
  return { path, content };
}
