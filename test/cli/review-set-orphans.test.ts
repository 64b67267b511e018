import type { Change } from "../../provider/src/cli/review/change";
import { orphansOfSetsNotes } from "../../provider/src/cli/review/notes";

const evidence = "a killed create of voices made it (its log)";
const orphans = (...voices: string[]) => voices.map((voice) => ({ row: { voice }, evidence, isLogged: true }));
const takes = (voice: string) => ({ takes: voice }) as Change;

test("voices of a set whose first update was killed, and that the program no longer has, are one line with five names", () => {
  const setOrphans = orphans("v1", "v2", "v3", "v4", "v5", "v6", "v7", "taken", "elsewhere");
  const elsewhere = new Map([["elsewhere", "p/other"]]);
  expect(orphansOfSetsNotes({ setOrphans, elsewhere }, [takes("taken")])).toEqual([
    `${evidence}: v1, v2, v3, v4, v5 and 2 more. ` +
      "`npx --no-install pulumi-cloudvoice voices --orphans` lists such voices, and deletes them with `--delete`",
  ]);
});

test.each([
  ["there are none", {}, []],
  ["the update takes each of them", { setOrphans: orphans("taken") }, [takes("taken")]],
])("there is no line if %s", (_, facts, changes) => {
  expect(orphansOfSetsNotes(facts, changes)).toEqual([]);
});
