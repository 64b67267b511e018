import schema from "../../provider/plugin/schema.json";
import { membersOf } from "../../tools/generate/members";
import { resources } from "../../tools/generate/resources";

const program = "provider/src/pulumi/program/resources.ts";
const names = (members: { name: string }[]) => members.map(({ name }) => name).sort();
const inSchema = (type?: object) => Object.keys(type ?? {}).sort();
const schemas: Record<string, { properties: object } | undefined> = schema.resources;

test.each(resources.map(({ name }) => name))("%s has the same outputs in the plugin as in the class", (name) => {
  const fields = membersOf(program, name).filter(({ type }) => type.startsWith("pulumi.Output<"));
  expect(inSchema(schemas[`cloudvoice:index:${name}`]?.properties)).toEqual(names(fields));
});

test("an image has the same fields in the plugin as in the class", () => {
  expect(inSchema(schema.types["cloudvoice:index:Image"].properties)).toEqual(names(membersOf(program, "ImageOutput")));
});

test("what is internal to the state is no output of the plugin", () => {
  const { account, nameVersion, adoptedWith } = schemas["cloudvoice:index:CloudVoice"]?.properties as Record<
    string,
    unknown
  >;
  expect([account, nameVersion, adoptedWith]).toEqual([undefined, undefined, undefined]);
});
