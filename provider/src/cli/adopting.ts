import { jsonOf } from "./review/forms";

/* Programs that adopt voices, one for each language. Every name is quoted, because names come from the service. */

export interface AdoptedVoice {
  key: string;
  voice: string;
  /** Undefined if all voices have the model of the program. */
  targetModel: string | undefined;
  created: string;
}

export interface AdoptingProgram {
  kind: "VoiceCatalog" | "VoiceSet";
  /** The model of all voices. Undefined if they have several. */
  targetModel: string | undefined;
  voices: readonly AdoptedVoice[];
  /** The only stack that adopts the voices. Undefined if every stack does. */
  stack: string | undefined;
}

const recording = "the recording that the voice was made from";
const introduction = [
  "Each voice needs its recording: put the file at the path that `audio` names, or change the path. Add `language`",
  "and `text` if the voice was made with them. Adopting is free. After the first `pulumi up`, `adopt` can be removed.",
];
const inOtherStacks = "In another stack, each entry is a new voice, which is billed.";
const onlyIn = (stack: string) => `Only the stack ${quote(stack)} adopts. ${inOtherStacks}`;

export function nodeProgram({ kind, targetModel, voices, stack }: AdoptingProgram, { typed }: { typed: boolean }) {
  const load = (name: string, from: string) =>
    typed ? `import { ${name} } from "${from}";` : `const { ${name} } = require("${from}");`;
  const adopt = adoptExpressionIn(stack);
  return [
    ...(stack === undefined ? [] : [load("getStack", "@pulumi/pulumi")]),
    load(kind, kind === "VoiceSet" ? "pulumi-cloudvoice/native" : "pulumi-cloudvoice"),
    "",
    ...(stack === undefined
      ? []
      : [
          `// ${onlyIn(stack)}`,
          `const existing = (voice${typed ? ": string" : ""}) => (getStack() === ${quote(stack)} ? voice : undefined);`,
          "",
        ]),
    ...introduction.map((line) => `// ${line}`),
    `const voices = new ${kind}("voices", {`,
    ...(targetModel === undefined ? [] : [`  defaults: { targetModel: ${quote(targetModel)} },`]),
    "  voices: {",
    ...voices.flatMap((each) => [
      `    // ${each.created}`,
      `    ${/^[a-z_]\w*$/i.test(each.key) ? each.key : quote(each.key)}: {`,
      ...(each.targetModel === undefined ? [] : [`      targetModel: ${quote(each.targetModel)},`]),
      `      audio: ${quote(pathOf(each))}, // ${recording}`,
      `      adopt: ${adopt(each)},`,
      "    },",
    ]),
    "  },",
    "});",
    "",
    `${typed ? "export const manifest" : "exports.manifest"} = voices.manifest;`,
  ];
}

export function pythonProgram({ kind, targetModel, voices, stack }: AdoptingProgram): string[] {
  const adopt = adoptExpressionIn(stack);
  return [
    "import pulumi",
    "import pulumi_cloudvoice as cloudvoice",
    "",
    ...(stack === undefined
      ? []
      : [
          "",
          `# ${onlyIn(stack)}`,
          "def existing(voice):",
          `    return voice if pulumi.get_stack() == ${quote(stack)} else None`,
          "",
          "",
        ]),
    ...introduction.map((line) => `# ${line}`),
    `voices = cloudvoice.${kind}(`,
    '    "voices",',
    ...(targetModel === undefined
      ? []
      : [`    defaults=cloudvoice.CatalogVoiceArgs(target_model=${quote(targetModel)}),`]),
    "    voices={",
    ...voices.flatMap((each) => [
      `        # ${each.created}`,
      `        ${quote(each.key)}: cloudvoice.CatalogVoiceArgs(`,
      ...(each.targetModel === undefined ? [] : [`            target_model=${quote(each.targetModel)},`]),
      `            audio=${quote(pathOf(each))},  # ${recording}`,
      `            adopt=${adopt(each)},`,
      "        ),",
    ]),
    "    },",
    ")",
    "",
    'pulumi.export("manifest", voices.manifest)',
  ];
}

/** YAML has no conditions, so this program adopts in every stack. */
export function yamlProgram({ kind, targetModel, voices, stack }: AdoptingProgram): string[] {
  const literal = (text: string) => quote(text).replaceAll("${", "$${");
  return [
    ...introduction.map((line) => `# ${line}`),
    ...(stack === undefined
      ? []
      : [
          `# Only the stack ${quote(stack)} has these voices: update it first. Remove \`adopt\` before other stacks use this`,
          `# program. ${inOtherStacks}`,
        ]),
    "resources:",
    "  voices:",
    `    type: cloudvoice:${kind}`,
    "    properties:",
    ...(targetModel === undefined ? [] : [`      defaults: { targetModel: ${literal(targetModel)} }`]),
    "      voices:",
    ...voices.flatMap((each) => [
      `        # ${each.created}`,
      `        ${quote(each.key)}:`,
      ...(each.targetModel === undefined ? [] : [`          targetModel: ${literal(each.targetModel)}`]),
      `          audio: ${literal(pathOf(each))} # ${recording}`,
      `          adopt: ${literal(each.voice)}`,
    ]),
    "outputs:",
    "  manifest: ${voices.manifest}",
  ];
}

export function goProgram({ kind, targetModel, voices, stack }: AdoptingProgram): string[] {
  const adopt =
    stack === undefined ? ({ voice }: AdoptedVoice) => `pulumi.String(${quote(voice)})` : adoptExpressionIn(stack);
  return [
    "package main",
    "",
    "import (",
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    '\t"pulumi-cloudvoice.local/sdk/go/cloudvoice"',
    ")",
    "",
    "func main() {",
    "\tpulumi.Run(func(ctx *pulumi.Context) error {",
    ...(stack === undefined
      ? []
      : [
          `\t\t// ${onlyIn(stack)}`,
          "\t\texisting := func(voice string) pulumi.StringPtrInput {",
          `\t\t\tif ctx.Stack() == ${quote(stack)} {`,
          "\t\t\t\treturn pulumi.String(voice)",
          "\t\t\t}",
          "\t\t\treturn nil",
          "\t\t}",
        ]),
    ...introduction.map((line) => `\t\t// ${line}`),
    `\t\tvoices, err := cloudvoice.New${kind}(ctx, "voices", &cloudvoice.${kind}Args{`,
    ...(targetModel === undefined
      ? []
      : [`\t\t\tDefaults: cloudvoice.CatalogVoiceArgs{TargetModel: pulumi.String(${quote(targetModel)})},`]),
    "\t\t\tVoices: cloudvoice.CatalogVoiceMap{",
    ...voices.flatMap((each) => [
      `\t\t\t\t// ${each.created}`,
      `\t\t\t\t${quote(each.key)}: cloudvoice.CatalogVoiceArgs{`,
      ...(each.targetModel === undefined ? [] : [`\t\t\t\t\tTargetModel: pulumi.String(${quote(each.targetModel)}),`]),
      `\t\t\t\t\tAudio: pulumi.String(${quote(pathOf(each))}), // ${recording}`,
      `\t\t\t\t\tAdopt: ${adopt(each)},`,
      "\t\t\t\t},",
    ]),
    "\t\t\t},",
    "\t\t})",
    "\t\tif err != nil {",
    "\t\t\treturn err",
    "\t\t}",
    '\t\tctx.Export("manifest", voices.Manifest)',
    "\t\treturn nil",
    "\t})",
    "}",
  ];
}

const pathOf = ({ key }: AdoptedVoice) => `audio/${key}.wav`;

/** The expression of `adopt`, for languages with functions. */
const adoptExpressionIn =
  (stack: string | undefined) =>
  ({ voice }: AdoptedVoice) =>
    stack === undefined ? quote(voice) : `existing(${quote(voice)})`;

function quote(text: string): string {
  return jsonOf(text).trimEnd();
}
