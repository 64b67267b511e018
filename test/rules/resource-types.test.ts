import { dynamicUrn, nameInUrn, resourceKind } from "../../provider/src/rules/resource-types";

test.each([
  ["pulumi-nodejs:dynamic/cloudvoice:CloudVoice", "voice"],
  ["cloudvoice:index:CloudVoice", "voice"],
  ["cloudvoice:index:GeneratedImage", "image"],
  ["pulumi-nodejs:dynamic/cloudvoice:Decision", "decision"],
  ["cloudvoice:index:VoiceCatalog", undefined],
  ["other:index:CloudVoice", undefined],
  ["my-cloudvoice:index:CloudVoice", undefined],
  ["cloudvoice:index:CloudVoice/v2:Other", undefined],
])("%s is of the kind %s", (type, kind) => {
  expect(resourceKind(type)).toBe(kind);
});

test.each([
  ["of the plugin", "cloudvoice:index:CloudVoice", "pulumi-nodejs:dynamic/cloudvoice:CloudVoice"],
  ["of the dynamic provider", "pulumi-nodejs:dynamic/cloudvoice:Decision", "pulumi-nodejs:dynamic/cloudvoice:Decision"],
  [
    "of a child",
    "my:own:Studio$cloudvoice:index:CloudVoice$cloudvoice:index:GeneratedImage",
    "my:own:Studio$pulumi-nodejs:dynamic/cloudvoice:CloudVoice$pulumi-nodejs:dynamic/cloudvoice:GeneratedImage",
  ],
  ["of a catalog", "cloudvoice:index:VoiceCatalog", "cloudvoice:index:VoiceCatalog"],
])("both faces have one URN, and so one generated name, %s", (_, types, expected) => {
  const urn = (type: string) => `urn:pulumi:dev::program::${type}::a::cloudvoice:index:CloudVoice`;
  expect(dynamicUrn(urn(types))).toBe(urn(expected));
});

test.each(["narrator", "museum::narrator", "a:::b", "::"])("the name %s is found in a URN", (name) => {
  expect(nameInUrn(`urn:pulumi:dev::program::my:own:Studio$cloudvoice:index:CloudVoice::${name}`)).toBe(name);
});
