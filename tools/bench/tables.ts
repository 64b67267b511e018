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
/** The largest allowed ratio of `plugin` to `plugin-floor`. */
const pluginFloorBoundOf: Record<Operation, number> = {
  up: 1.15,
  "no-op preview": 1.45,
  "no-op up": 1.35,
  refresh: 1.35,
  destroy: 1.15,
};
/** The largest allowed ratio of `plugin` to `ours`. */
const pluginBoundOf: Record<Operation, number> = {
  up: 0.95,
  "no-op preview": 0.5,
  "no-op up": 0.55,
  refresh: 1,
  destroy: 1,
};
const pluginMegabytesBound = 200;
const pluginStateBytesBound = 2100;
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
  const ratiosOf = (rows: OperationRow[], others: OperationRow[]) =>
    rows.map((row) => row.seconds / (others.find(({ round }) => round === row.round)?.seconds ?? NaN));
  const ratios = ratiosOf(ours, by("floor"));
  const ratio = median(ratios);
  const plugin = by("plugin");
  const pluginRatio = median(ratiosOf(plugin, ours));
  const pluginFloorRatio = median(ratiosOf(plugin, by("plugin-floor")));
  const peakOf = (rows: OperationRow[]) => Math.round(Math.max(0, ...rows.map((row) => row.peakMegabytes ?? 0)));
  const calls = Object.entries(ours.at(-1)?.calls ?? {}).map(([action, count]) => `${count} ${action}`);
  const mostLists = Math.max(0, ...[...ours, ...plugin].map((row) => row.calls.list ?? 0));
  const isLargest = voices === largest && voices >= fewestJudgedVoices;
  // A page holds 1,000 voices, and an empty one behind it proves that its total counts voices.
  const kept = [
    mostLists <= 2,
    Number.isNaN(ratio) || ratio <= boundOf[operation],
    Number.isNaN(pluginRatio) || pluginRatio <= pluginBoundOf[operation],
    Number.isNaN(pluginFloorRatio) || pluginFloorRatio <= pluginFloorBoundOf[operation],
    peakOf(plugin) <= pluginMegabytesBound,
  ];
  return {
    voices,
    operation,
    ...Object.fromEntries(chosen.map((name) => [`${name} (s)`, Number(medianSeconds(by(name)).toFixed(1))])),
    "ours / floor": Number(ratio.toFixed(2)),
    "each round": ratios.map((each) => each.toFixed(2)).join(" "),
    calls: calls.join(", ") || "none",
    "peak (MB)": peakOf(ours),
    "plugin / ours": Number(pluginRatio.toFixed(2)),
    "plugin / its floor": Number(pluginFloorRatio.toFixed(2)),
    "plugin peak (MB)": peakOf(plugin),
    withinBound: isLargest ? yesOrNo(kept.every(Boolean)) : "",
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
    const plugin = bytesOf("plugin");
    const ratio = Number((ours / (bytesOf("floor") ?? NaN)).toFixed(2));
    const kept = [
      Number.isNaN(ratio) || ratio <= stateRatioBound,
      Number.isNaN(ours) || ours <= stateBytesBound,
      plugin === undefined || plugin <= pluginStateBytesBound,
    ];
    return {
      voices,
      "ours (bytes per voice)": ours,
      plugin,
      floor: bytesOf("floor"),
      "plugin-floor": bytesOf("plugin-floor"),
      usual: bytesOf("usual"),
      "ours / floor": ratio,
      withinBound: voices >= fewestJudgedVoices ? yesOrNo(kept.every(Boolean)) : "",
    };
  });
}

const yesOrNo = (isTrue: boolean) => (isTrue ? "yes" : "no");
