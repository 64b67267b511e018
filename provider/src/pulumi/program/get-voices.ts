import * as pulumi from "@pulumi/pulumi";
import { createdAt } from "../../rules/time";
import { programConnection } from "./connection";
import { dependenciesReady } from "./dependencies";

/** Arguments of {@link getVoices}. */
export interface GetVoicesArgs {
  /** Only voices bound to this synthesis model. */
  targetModel?: string;
}

/** The result of {@link getVoices}. */
export interface GetVoicesResult {
  voices: { voice: string; createdAt?: string; targetModel: string }[];
  /** How many voices the account has, whatever the filter. */
  total: number;
  /** The setting `voiceQuota`. */
  quota: number;
  remaining: number;
}

/** Lists the account's voices whenever the program runs, in previews too. Free of charge. */
export async function getVoices(args: GetVoicesArgs = {}): Promise<GetVoicesResult> {
  const { service, settings } = await programConnection();
  const all = await service.account.voicesNow();
  const voices = all
    .filter((row) => args.targetModel === undefined || row.targetModel === args.targetModel)
    .map((row) => {
      const at = createdAt(row.gmtCreate);
      return { voice: row.voice, targetModel: row.targetModel, ...(at !== undefined && { createdAt: at }) };
    });
  return {
    voices,
    total: all.length,
    quota: settings.voiceQuota,
    remaining: Math.max(0, settings.voiceQuota - all.length),
  };
}

/** {@link getVoices} for outputs. */
export function getVoicesOutput(
  args: { [K in keyof GetVoicesArgs]: pulumi.Input<GetVoicesArgs[K]> } = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetVoicesResult> {
  return pulumi
    .all([pulumi.output(args), dependenciesReady(opts?.dependsOn)])
    .apply(([known]) => getVoices(known as GetVoicesArgs));
}
