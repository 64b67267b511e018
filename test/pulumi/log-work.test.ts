import type { Interruption } from "../../provider/src/pulumi/provider/voice-set/interruption";
import { isCarried } from "../../provider/src/pulumi/provider/voice-set/log-work";

const inputs = (preferredName: string) => ({ preferredName, targetModel: "m" });
const interruption: Interruption = {
  creates: [{ key: "narrator", inputs: inputs("narrator_abc1234"), found: [] }],
  ...{ deletes: [], existing: [], name: "voices" },
};

test.each([
  ["the same entry", "narrator_abc1234", true],
  ["the same entry under another key", "teller_abc1234", true],
  ["an entry with other content", "narrator_zyx9876", false],
])("of a killed update's create: %s", (_, name, expected) => {
  expect(isCarried({ key: "k", inputs: inputs(name) }, interruption)).toBe(expected);
});

test("without a killed update, no create is carried on", () => {
  expect(isCarried({ key: "narrator", inputs: inputs("narrator_abc1234") }, undefined)).toBe(false);
});
