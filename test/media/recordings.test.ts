import { audioProblem, audioWarning } from "../../provider/src/rules/audio";
import { audioInspector } from "../../provider/src/service/audio/inspect";
import { put, temporaryFolder } from "../support/files";
import { media } from "./recordings";

/** Recordings as people have them, each with the truth about it: none is judged otherwise. */

const folder = temporaryFolder();
const inspectAudio = audioInspector();
let count = 0;
afterEach(() => jest.restoreAllMocks());

test.each(media)("%s", async (_, bytes, truth) => {
  const printed = ["log", "warn", "error"].map((name) => jest.spyOn(console, name as "log").mockImplementation());
  const facts = await inspectAudio(put(folder, `${count++}`, bytes));
  const [problem, warning] = [audioProblem(facts), audioWarning(facts)];
  const verdict = problem !== undefined ? "refused" : warning !== undefined ? "warning" : "accepted";
  expect({ verdict, text: problem ?? warning ?? "" }).toEqual({
    verdict: truth.verdict,
    text: truth.says ? (expect.stringMatching(truth.says) as string) : "",
  });
  if (truth.seconds !== undefined) expect((facts as { seconds?: number }).seconds).toBeCloseTo(truth.seconds, 2);
  // No library adds a line of its own.
  expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([]);
});
