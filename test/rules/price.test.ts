import { voicesCost } from "../../provider/src/rules/price";

test.each([
  [0, 0],
  [1, 0.01],
  [29, 0.29],
  [57, 0.57],
  [1000, 10],
])("%s voices cost %s dollars, without a rounding error", (count, dollars) => {
  expect(voicesCost(count)).toBe(dollars);
});
