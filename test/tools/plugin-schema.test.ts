import schema from "../../provider/plugin/schema.json";
import { registryFields, sdkNames } from "../../tools/generate/registry";
import { membersOf } from "../../tools/generate/members";
import { resources } from "../../tools/generate/resources";

const program = "provider/generated/resources.ts";
const names = (members: { name: string }[]) => members.map(({ name }) => name).sort();
const inSchema = (type?: object) => Object.keys(type ?? {}).sort();
const schemas: Record<string, { properties: object; inputProperties: object } | undefined> = schema.resources;

test.each(resources.map(({ name }) => name))("%s has the same outputs in the plugin as in the class", (name) => {
  const fields = membersOf(program, name).filter(({ type }) => type.startsWith("pulumi.Output<"));
  expect(inSchema(schemas[`cloudvoice:index:${name}`]?.properties)).toEqual(names(fields));
});

test("what is internal to the state is no output of the plugin", () => {
  const { account, nameVersion, adoptedWith } = schemas["cloudvoice:index:CloudVoice"]?.properties as Record<
    string,
    unknown
  >;
  expect([account, nameVersion, adoptedWith]).toEqual([undefined, undefined, undefined]);
});

test.each([
  ["GeneratedImageArgs", "size", '"1328*1328"'],
  ["GeneratedImageArgs", "saveTo", '"s3://bucket/covers?region=eu-central-1"'],
  ["DecisionArgs", "expect", '{ "tone": { "choice": "friendly" } }'],
  ["CloudVoiceArgs", "triggers", "[2]"],
])("%s.%s shows its example in an editor and in every SDK", (args, input, example) => {
  const inputs = schemas[`cloudvoice:index:${args.replace("Args", "")}`]?.inputProperties;
  const inSdks = (inputs as Record<string, { description: string }>)[input]?.description;
  const inEditor = membersOf(program, args).find(({ name }) => name === input)?.description;
  for (const shown of [inSdks, inEditor]) expect(shown).toContain(`For example \`${example}\`.`);
});

test("no setting is a default of an SDK: the environment would become arguments, and stay in the state", () => {
  expect(JSON.stringify(schema)).not.toContain("defaultInfo");
});

test("one repository gives everything that the registry shows of the publisher; without one, no address is invented", () => {
  expect(registryFields("git+https://github.com/acme/voices.git")).toEqual({
    publisher: "acme",
    repository: "https://github.com/acme/voices",
    homepage: "https://github.com/acme/voices",
    logoUrl: "https://raw.githubusercontent.com/acme/voices/main/docs/images/logo.svg",
    pluginDownloadURL: "github://api.github.com/acme/voices",
  });
  expect(registryFields(undefined)).toEqual({});
  expect(() => registryFields("https://example.com/voices")).toThrow(/must be a repository on github\.com/);
});

test("the names of the SDKs lead to the repository, once there is one, and to nobody else before", () => {
  expect(sdkNames("github:acme-labs/voices")).toEqual({
    nodejs: "pulumi-cloudvoice",
    python: "pulumi_cloudvoice",
    goModule: "github.com/acme-labs/voices/sdk",
    go: "github.com/acme-labs/voices/sdk/go/cloudvoice",
    csharp: "AcmeLabs",
    java: "io.github.acme_labs",
  });
  expect(sdkNames(undefined)).toMatchObject({ go: "pulumi-cloudvoice.local/sdk/go/cloudvoice", java: "local" });
});
