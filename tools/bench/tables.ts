import type { Implementation } from "./implementations";
import { median } from "./measure";
import type { Operation, OperationRow, StateRow } from "./rounds";

/** The largest allowed ratio of `ours` to `floor`, at a thousand voices. */
const boundOf: Record<Operation, number> = {
  up: 1.1,
  "no-op preview": 1.15,
  "no-op up": 1.15,
  refresh: 1.15,
  destroy: 1.1,
};
const stateRatioBound = 1.15;
const stateBytesBound = 2600;

/** The bounds hold for at least this many voices. With fewer, the start of the processes dominates. */
const fewestJudgedVoices = 1000;

/** One row per operation and number of voices. */
export function operationTable(rows: OperationRow[], chosen: Implementation[]) {
  const largest = Math.max(...rows.map(({ voices }) => voices));
  const groups = new Map<string, OperationRow[]>();
  for (const row of rows) {
    const key = `${row.voices} ${row.operation}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((group) => operationSummary(group, chosen, largest));
}

function operationSummary(group: OperationRow[], chosen: Implementation[], largest: number) {
  const { voices = NaN, operation = "up" } = group[0] ?? {};
  const by = (implementation: Implementation) => group.filter((row) => row.implementation === implementation);
  const ours = by("ours");
  // A ratio per round, because the speed of the machine drifts from round to round.
  const ratios = ours.map(
    (row) => row.seconds / (by("floor").find(({ round }) => round === row.round)?.seconds ?? NaN),
  );
  const ratio = median(ratios);
  const calls = Object.entries(ours.at(-1)?.calls ?? {}).map(([action, count]) => `${count} ${action}`);
  const mostLists = Math.max(0, ...ours.map((row) => row.calls.list ?? 0));
  const isJudged = voices === largest && voices >= fewestJudgedVoices && !Number.isNaN(ratio);
  return {
    voices,
    operation,
    ...Object.fromEntries(chosen.map((name) => [`${name} (s)`, Number(medianSeconds(by(name)).toFixed(1))])),
    "ours / floor": Number(ratio.toFixed(2)),
    "each round": ratios.map((each) => each.toFixed(2)).join(" "),
    calls: calls.join(", ") || "none",
    "peak (MB)": Math.round(Math.max(0, ...ours.map((row) => row.peakMegabytes ?? 0))),
    // A page holds 1,000 voices, so one call must list them all.
    withinBound: isJudged ? yesOrNo(ratio <= boundOf[operation] && mostLists <= 1) : "",
  };
}

const medianSeconds = (rows: OperationRow[]) => median(rows.map(({ seconds }) => seconds));

/** One row per number of voices. */
export function stateTable(rows: StateRow[]) {
  const sizes = [...new Set(rows.map(({ voices }) => voices))];
  return sizes.map((voices) => {
    const bytesOf = (implementation: Implementation) =>
      rows.find((row) => row.voices === voices && row.implementation === implementation)?.bytesPerVoice;
    const ours = bytesOf("ours") ?? NaN;
    const ratio = Number((ours / (bytesOf("floor") ?? NaN)).toFixed(2));
    const isJudged = voices >= fewestJudgedVoices && !Number.isNaN(ratio);
    return {
      voices,
      "ours (bytes per voice)": ours,
      floor: bytesOf("floor"),
      usual: bytesOf("usual"),
      "ours / floor": ratio,
      withinBound: isJudged ? yesOrNo(ratio <= stateRatioBound && ours <= stateBytesBound) : "",
    };
  });
}

const yesOrNo = (isTrue: boolean) => (isTrue ? "yes" : "no");
