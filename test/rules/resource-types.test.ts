import {
  dynamicUrn,
  nameInLabel,
  nameInUrn,
  resourceKind,
  resourceLabel,
} from "../../provider/src/rules/resource-types";

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

test("a label is the same in each release, because notes of the journal have it, and names the resource", () => {
  const label = resourceLabel("urn:pulumi:dev::program::t::museum::a-0123456789abcdef-b");
  expect(label).toBe("museum::a-0123456789abcdef-b-20345b6d1d09d212");
  expect(nameInLabel(label)).toBe("museum::a-0123456789abcdef-b");
});

test.each(["narrator", "a-0123456789abcde", "a-0123456789abcdefg", "a-0123456789abcdef-b"])(
  "%s is no label",
  (text) => {
    expect(nameInLabel(text)).toBe(text);
  },
);
