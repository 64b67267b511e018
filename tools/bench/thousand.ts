import type { Implementation } from "./implementations";
import { median, type ProcessKind } from "./measure";
import { type Operation, operations, type OperationRow, runRound } from "./rounds";
import type { ScenarioResult, Setting } from "./scenarios";

const measured = ["plugin", "catalog-yaml", "catalog", "native-floor", "native", "ours"] as const;
type Measured = (typeof measured)[number];

/** The largest allowed ratios to another implementation in the same round, and seconds on the machine of docs/performance.md. */
const bounds: {
  of: Measured;
  to: Measured;
  ratios: Partial<Record<Operation, number>>;
  seconds: Partial<Record<Operation, number>>;
}[] = [
  {
    of: "catalog-yaml",
    to: "plugin",
    ratios: { up: 1.1, "no-op preview": 1.15 },
    seconds: { up: 10, "no-op preview": 4.5, refresh: 2.5, destroy: 7.5 },
  },
  {
    of: "catalog",
    to: "plugin",
    ratios: { up: 1.2, "no-op preview": 1.35 },
    seconds: { up: 11, "no-op preview": 5.2, refresh: 2.5, destroy: 7.5 },
  },
  {
    of: "native",
    to: "native-floor",
    ratios: { up: 1.1, "no-op preview": 1.1, refresh: 1.25, destroy: 1.25 },
    seconds: {},
  },
];

/** A thousand voices without checkpoints, by each kind of program. `THOUSAND=100` measures fewer. */
export async function thousand(setting: Setting): Promise<ScenarioResult[]> {
  const voices = Number(process.env.THOUSAND ?? 1000);
  const rounds = 3;
  const rows: OperationRow[] = [];
  for (let round = 1; round <= rounds; round++) {
    const variables = { PULUMI_SKIP_CHECKPOINTS: "true" };
    rows.push(...(await runRound({ ...setting, voices, round, rounds, chosen: [...measured], variables })).operations);
  }
  const rowsOf = (implementation: Implementation, operation: Operation) =>
    rows.filter((row) => row.implementation === implementation && row.operation === operation);
  const secondsOf = (implementation: Implementation, operation: Operation) =>
    rowsOf(implementation, operation).map((row) => row.seconds);
  const cpuOf = (implementation: Implementation, operation: Operation, kind: ProcessKind) =>
    median(rowsOf(implementation, operation).map(({ cpu }) => cpu[kind] ?? 0));
  return measured.flatMap((implementation) =>
    operations.map((operation): ScenarioResult => {
      const each = secondsOf(implementation, operation);
      const seconds = median(each);
      const bound = bounds.find(({ of }) => of === implementation);
      const others = bound && secondsOf(bound.to, operation);
      const ratio = others && median(each.map((time, index) => time / (others[index] ?? NaN)));
      const [allowed, allowedSeconds] = [bound?.ratios[operation], bound?.seconds[operation]];
      const isKept =
        !(ratio !== undefined && allowed !== undefined && ratio > allowed) &&
        !(allowedSeconds !== undefined && seconds > allowedSeconds);
      const cpu = (["engine", "program", "provider"] as const)
        .map((kind) => `${kind} ${cpuOf(implementation, operation, kind).toFixed(1)}`)
        .join(", ");
      return {
        scenario: `${voices} voices without checkpoints: ${operation} by ${implementation}`,
        measured: `${seconds.toFixed(1)} s${bound && ratio !== undefined ? `, ${ratio.toFixed(2)} of ${bound.to}` : ""} (CPU: ${cpu})`,
        bound: [allowedSeconds && `${allowedSeconds} s`, allowed].filter(Boolean).join(", "),
        withinBound: isKept ? "yes" : "no",
      };
    }),
  );
}
