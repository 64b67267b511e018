import type { ResourceKind } from "../../provider/src/rules/resource-types";
import { resources } from "../../provider/src/rules/resources";
import { ownRepository, sdkNames } from "./registry";

/** A program with one resource, the source of the examples in all languages. */
interface Example {
  name: string;
  properties: Record<string, Value>;
  /** The outputs that become outputs of the stack. */
  exports: string[];
}

type Value = string | number | boolean | { [name: string]: Value };

const examples: Readonly<Record<ResourceKind, Example>> = {
  voice: {
    name: "narrator",
    properties: {
      targetModel: "svc3-tts-vc-2026-01-22",
      audio: "audio/narrator.wav",
      language: "en",
      rights: { holder: "Jane Doe", evidence: "consents/7.pdf" },
    },
    exports: ["voice"],
  },
  image: {
    name: "cover",
    properties: { model: "svc-image-plus", prompt: "A lighthouse at dusk", saveTo: "covers" },
    exports: ["images"],
  },
  decision: {
    name: "gate",
    properties: {
      state: "Version 2 removes the old endpoints.",
      questions: { risky: { type: "noul", instructions: "Do these notes announce a breaking change?" } },
      expect: { risky: { max: 0.2 } },
    },
    exports: ["answers"],
  },
};

/** The types of the maps among the inputs, as the SDKs name them. */
const mapTypes: Record<string, string> = { questions: "Question", expect: "Expectation" };
const structTypes: Record<string, string> = { rights: "VoiceRights" };

const sdk = { ...sdkNames(ownRepository()), nodejs: "pulumi-cloudvoice/native" };

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const indent = (text: string, by: string) => text.replace(/^(?=.)/gm, by);

function lines(value: Value, write: (name: string, value: Value) => string, [open, close]: [string, string]): string {
  if (typeof value !== "object") return JSON.stringify(value);
  return `${open}\n${indent(
    Object.entries(value)
      .map(([name, each]) => `${write(name, each)},`)
      .join("\n"),
    "    ",
  )}\n${close}`;
}

function typescript(type: string, { name, properties, exports }: Example): string {
  const literal = (value: Value): string => lines(value, (field, each) => `${field}: ${literal(each)}`, ["{", "}"]);
  return [
    `import * as cloudvoice from "${sdk.nodejs}";`,
    "",
    `const ${name} = new cloudvoice.${type}("${name}", ${literal(properties)});`,
    ...exports.map((output) => `export const ${output} = ${name}.${output};`),
  ].join("\n");
}

function python(type: string, { name, properties, exports }: Example): string {
  const literal = (value: Value): string =>
    lines(value, (field, each) => `"${snake(field)}": ${literal(each)}`, ["{", "}"]);
  const fields = Object.entries(properties).map(([field, value]) => `${snake(field)}=${literal(value)},`);
  return [
    "import pulumi",
    `import ${sdk.python} as cloudvoice`,
    "",
    `${name} = cloudvoice.${type}(`,
    indent([`"${name}",`, ...fields].join("\n"), "    "),
    ")",
    ...exports.map((output) => `pulumi.export("${output}", ${name}.${output})`),
  ].join("\n");
}

function go(type: string, { name, properties, exports }: Example): string {
  const literal = (value: Value): string => {
    if (typeof value === "object") throw new Error("An object inside a named type has no example in Go.");
    if (typeof value === "string") return `pulumi.String(${JSON.stringify(value)})`;
    return typeof value === "number" ? `pulumi.Float64(${value})` : `pulumi.Bool(${value})`;
  };
  const mapOf = (of: string, value: Value) =>
    lines(value, (key, fields) => `"${key}": ${struct(of, fields)}`, [`cloudvoice.${of}Map{`, "}"]);
  const struct = (of: string, value: Value, mark = "") =>
    lines(value, (field, each) => `${pascal(field)}: ${literal(each)}`, [`${mark}cloudvoice.${of}Args{`, "}"]);
  const fields = Object.entries(properties).map(([field, value]) => {
    const [map, type] = [mapTypes[field], structTypes[field]];
    const written = map ? mapOf(map, value) : type ? struct(type, value, "&") : literal(value);
    return `${pascal(field)}: ${written},`;
  });
  const body = [
    `${name}, err := cloudvoice.New${type}(ctx, "${name}", &cloudvoice.${type}Args{`,
    indent(fields.join("\n"), "    "),
    "})",
    "if err != nil {",
    "    return err",
    "}",
    ...exports.map((output) => `ctx.Export("${output}", ${name}.${pascal(output)})`),
    "return nil",
  ].join("\n");
  // Go is indented with tabs.
  return [
    "package main",
    "",
    "import (",
    '    "github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    `    "${sdk.go}"`,
    ")",
    "",
    "func main() {",
    "    pulumi.Run(func(ctx *pulumi.Context) error {",
    indent(body, "        "),
    "    })",
    "}",
  ]
    .join("\n")
    .replaceAll("    ", "\t");
}

function yaml(type: string, { name, properties, exports }: Example): string {
  const write = (fields: Record<string, Value>): string =>
    Object.entries(fields)
      .map(([field, value]) =>
        typeof value === "object" ? `${field}:\n${indent(write(value), "  ")}` : `${field}: ${JSON.stringify(value)}`,
      )
      .join("\n");
  return [
    "resources:",
    `  ${name}:`,
    `    type: cloudvoice:${type}`,
    "    properties:",
    indent(write(properties), "      "),
    "outputs:",
    ...exports.map((output) => `  ${output}: \${${name}.${output}}`),
  ].join("\n");
}

const writers = { typescript, python, go, yaml };
export const exampleLanguages = Object.keys(writers) as (keyof typeof writers)[];

/** The example of a resource in a language. */
export function exampleIn(language: keyof typeof writers, kind: ResourceKind): string {
  return writers[language](resources[kind].name, examples[kind]);
}

/** The examples of a resource for its description in Pulumi's registry: one tab per language. */
export function registryExamples(name: string): string {
  const kind = (Object.keys(resources) as ResourceKind[]).find((each) => resources[each].name === name);
  if (kind === undefined) throw new Error(`There is no resource ${name}.`);
  const blocks = exampleLanguages.map((language) => `\`\`\`${language}\n${exampleIn(language, kind)}\n\`\`\``);
  return [
    "{{% examples %}}",
    "## Example Usage",
    "{{% example %}}",
    ...blocks,
    "{{% /example %}}",
    "{{% /examples %}}",
  ].join("\n\n");
}

/** The example of a resource for a page of the registry: a choice of languages. */
export function exampleChooser(kind: ResourceKind): string {
  const blocks = exampleLanguages.flatMap((language) => [
    `{{% choosable language ${language} %}}`,
    `\`\`\`${language}\n${exampleIn(language, kind)}\n\`\`\``,
    "{{% /choosable %}}",
  ]);
  return [`{{< chooser language "${exampleLanguages.join(",")}" >}}`, ...blocks, "{{< /chooser >}}"].join("\n\n");
}
