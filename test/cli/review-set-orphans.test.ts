import type { Change } from "../../provider/src/cli/review/change";
import { orphansOfSetsNotes } from "../../provider/src/cli/review/notes";

const evidence = "a killed create of voices made it (its log)";
const orphans = (...voices: string[]) => voices.map((voice) => ({ row: { voice }, evidence, isLogged: true }));
const deletes = (id: string) => ({ id }) as Change;
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
  ["the update deletes each of them", { setOrphans: orphans("going") }, [deletes("going")]],
])("there is no line if %s", (_, facts, changes) => {
  expect(orphansOfSetsNotes(facts, changes)).toEqual([]);
});

test("the line of a voice that only a pending operation names does not send the reader to an option that keeps the voice", () => {
  const pending = "a killed create of voices made it (a pending operation)";
  const setOrphans = [...orphans("v1"), { row: { voice: "v2" }, evidence: pending, isLogged: false }];
  expect(orphansOfSetsNotes({ setOrphans }, [])).toEqual([
    expect.stringMatching(/v1\..*deletes them with `--delete`$/),
    `${pending}: v2. \`npx --no-install pulumi-cloudvoice voices --orphans\` lists such voices. \`--delete\` keeps ` +
      "them, because a pending operation alone is no proof. If nobody uses a voice, " +
      "`npx --no-install pulumi-cloudvoice delete` with its name deletes it",
  ]);
});
