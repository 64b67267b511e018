import { join } from "node:path";
import ts from "typescript";
import { root } from "../support/files";

const program = join(root, "test", "types", "program-in-an-editor.ts");
const text = `
import { CloudVoice, GeneratedImage, VoiceCatalog } from "../../provider/src";
const voice = new CloudVoice("v", { targetModel: "m", audio: "a.wav", language: "en", triggers: [1] });
const image = new GeneratedImage("i", { model: "svc-image", prompt: "A lighthouse", timeoutSeconds: 60 });
new VoiceCatalog("c", { voices: { v: { targetModel: "m", audio: "b.wav", language: "de" } } });
voice.targetModel;
voice.language;
image.model;
`;

/** What an editor shows for each name of an input in the program. */
function hovers(): string[] {
  const readFile = (file: string) => (file === program ? text : ts.sys.readFile(file));
  const service = ts.createLanguageService({
    getScriptFileNames: () => [program],
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => ts.ScriptSnapshot.fromString(readFile(file) ?? ""),
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getCompilationSettings: () => ({
      strict: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      skipLibCheck: true,
      types: [],
    }),
    fileExists: (file) => file === program || ts.sys.fileExists(file),
    readFile,
    directoryExists: (folder) => ts.sys.directoryExists(folder),
  });
  return [...text.matchAll(/\b[a-z]+[A-Za-z]*\b(?=: ["\d[]|;$)/gm)].map(({ index }) =>
    ts.displayPartsToString(service.getQuickInfoAtPosition(program, index)?.displayParts).replace("(property) ", ""),
  );
}

test("an editor shows the names of types in place of lists of values", () => {
  expect(hovers()).toEqual([
    "CloudVoiceArgs.targetModel: Input<TargetModel | (string & {})>",
    "CloudVoiceArgs.audio: Input<string | FileAsset | RemoteAsset>",
    "CloudVoiceArgs.language?: Input<Language> | undefined",
    "CloudVoiceArgs.triggers?: Input<Input<Trigger>[]> | undefined",
    "GeneratedImageArgs.model: Input<ImageModel>",
    "GeneratedImageArgs.prompt: Input<string>",
    "GeneratedImageArgs.timeoutSeconds?: Input<number> | undefined",
    "targetModel: Input<TargetModel | (string & {})>",
    "audio: Input<string | FileAsset | RemoteAsset>",
    "language?: Input<Language> | undefined",
    "CloudVoice.targetModel: Output<TargetModel | (string & {})>",
    "CloudVoice.language: Output<Language | undefined>",
    "GeneratedImage.model: Output<ImageModel>",
  ]);
});
