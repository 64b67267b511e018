import { isDefaultProvider, isReplacedOnDemand, processOf } from "../../provider/src/voices/holder";

test.each<[what: string, entry: Parameters<typeof isReplacedOnDemand>[0], expected: boolean]>([
  ["without the options", {}, false],
  ["with an empty list, as the engine writes it", { replaceWith: [] }, false],
  ["with null for the list", { replaceWith: null }, false],
  ["with replaceWith", { replaceWith: ["urn:pulumi:dev::p::t::a"] }, true],
  ["with replacementTrigger", { replacementTrigger: 2 }, true],
])("a resource may be replaced although its content is the same: %s", (_, entry, expected) => {
  expect(isReplacedOnDemand(entry)).toBe(expected);
});

const [dynamic, native] = ["urn:pulumi:dev::p::dynamic::a", "urn:pulumi:dev::p::native::a"];
const provider = "urn:pulumi:dev::p::pulumi:providers:cloudvoice::mine::1234";

test.each<[what: string, holder: Parameters<typeof processOf>[0], expected: string]>([
  ["a dynamic resource is served by the one process of all dynamic resources", { urn: dynamic }, "dynamic"],
  ["... also if its state names a provider", { urn: dynamic, savedUrn: dynamic, provider }, "dynamic"],
  ["... and so is one of which nothing is known yet", undefined, "dynamic"],
  ["a resource of the plugin is served by its provider", { urn: dynamic, savedUrn: native, provider }, provider],
  ["... also if the state does not say by which", { urn: dynamic, savedUrn: native }, "plugin"],
])("%s", (_, holder, expected) => {
  expect(processOf(holder)).toBe(expected);
});

test.each([
  ["default", true],
  ["default_1_0_0", true],
  ["default_account", false],
  ["mine", false],
])("the provider %s is made by the engine: %s", (name, expected) => {
  expect(isDefaultProvider(`urn:pulumi:dev::program::pulumi:providers:cloudvoice::${name}`)).toBe(expected);
});
