import { type Cell, isRefused, nameOf } from "../../tools/matrix/cells";
import { runCell, type Workshop, workshopIn } from "../../tools/matrix/run";
import { temporaryFolder } from "../support/files";

/** The quick part of `npm run matrix`: strict pnpm installs the package, alone and below a component. */

const quick: Cell[] = [
  { manager: "pnpm", program: "typescript", node: 20, sdk: "3.248", place: "alone" },
  { manager: "pnpm", program: "commonjs", node: 20, sdk: "3.248", place: "component" },
];
let workshop: Workshop;
beforeAll(() => {
  workshop = workshopIn(temporaryFolder(), quick);
});

test.each(quick.map((cell) => [nameOf(cell), cell] as const))("%s", async (_, cell) => {
  const expected = isRefused(cell)
    ? { install: "ok", up: "refused, with the way on" }
    : { install: "ok", up: "ok", preview: "ok", refresh: "ok", destroy: "ok" };
  expect(await runCell(cell, workshop)).toEqual(expected);
});
