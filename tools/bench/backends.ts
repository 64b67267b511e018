import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startGateway } from "../gateway/server";
import { startHostedBackend } from "../hosted-backend/server";
import { startPostgres } from "../postgres/start";
import { runRound } from "./rounds";
import type { ScenarioResult, Setting } from "./scenarios";

interface Backend {
  /** The environment variables with which a stack has its state there. */
  variables: Record<string, string>;
  stop?: () => Promise<void>;
}

async function hosted(journaling: boolean): Promise<Backend> {
  const backend = await startHostedBackend({ organizations: ["acme"], journaling });
  return { variables: backend.env, stop: () => backend.close() };
}

const backends: Record<string, (folder: string) => Backend | Promise<Backend>> = {
  "a folder": () => ({ variables: {} }),
  "a folder, PULUMI_DIY_BACKEND_GZIP": () => ({ variables: { PULUMI_DIY_BACKEND_GZIP: "true" } }),
  "a folder, PULUMI_DIY_BACKEND_ZSTD": () => ({ variables: { PULUMI_DIY_BACKEND_ZSTD: "true" } }),
  "a bucket": async (folder) => {
    const gateway = await startGateway(mkdtempSync(join(folder, "buckets-")));
    gateway.createBucket("state");
    const variables = { PULUMI_BACKEND_URL: gateway.url("state"), ...gateway.credentials };
    return { variables, stop: () => gateway.stop() };
  },
  PostgreSQL: async () => {
    const { url, stop } = await startPostgres();
    return { variables: { PULUMI_BACKEND_URL: url }, stop };
  },
  "the hosted backend, with its journal": () => hosted(true),
  "the hosted backend, with checkpoints": () => hosted(false),
};

/** A thousand voices with their state in each kind of backend, all on this machine. `BACKENDS=100` measures fewer. */
export async function eachBackend(setting: Setting): Promise<ScenarioResult[]> {
  const voices = Number(process.env.BACKENDS ?? 1000);
  const results: ScenarioResult[] = [];
  for (const [name, start] of Object.entries(backends)) {
    setting.log(`the state is in ${name}`);
    const { variables, stop } = await start(setting.folder);
    try {
      const { operations } = await runRound({ ...setting, voices, round: 1, rounds: 1, chosen: ["ours"], variables });
      const seconds = operations.map((row) => `${row.operation} ${row.seconds.toFixed(1)} s`).join(", ");
      results.push({
        scenario: `${voices} voices, state in ${name}`,
        measured: seconds,
        bound: "",
        withinBound: "yes",
      });
    } finally {
      await stop?.();
    }
  }
  return results;
}
