import { membersOf, outputsOf } from "../../tools/generate/members";
import { pluginSchema } from "../../tools/generate/plugin-schema";
import { resources } from "../../tools/generate/resources";

interface Schema {
  resources: Record<string, { properties: object }>;
  types: Record<string, { properties: object }>;
}
const schema = pluginSchema() as Schema;
const names = (members: { name: string }[]) => members.map(({ name }) => name).sort();
const inSchema = (type?: { properties: object }) => Object.keys(type?.properties ?? {}).sort();

test.each(resources.map((resource) => [resource.name, resource] as const))(
  "%s has the same outputs in the plugin as in the class",
  (name, { source }) => {
    expect(inSchema(schema.resources[`cloudvoice:index:${name}`])).toEqual(names(outputsOf(source, name)));
  },
);

test("an image has the same fields in the plugin as in the class", () => {
  const fields = names(membersOf("provider/src/rules/image.ts", "ImageOutput"));
  expect(inSchema(schema.types["cloudvoice:index:Image"])).toEqual(fields);
});
