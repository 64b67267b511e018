import * as pulumi from "@pulumi/pulumi";
import { listVoices } from "../shared/functions";
import { programConnection } from "./connection";
import { dependenciesReady } from "./dependencies";

/** Arguments of {@link getVoices}. */
export interface GetVoicesArgs {
  /** Only voices that are bound to this synthesis model. Default: all voices. */
  targetModel?: string;
}

/** The result of {@link getVoices}. */
export interface GetVoicesResult {
  /** The listed voices. `createdAt` is in ISO 8601; it is absent if the service's time cannot be read. */
  voices: { voice: string; createdAt?: string; targetModel: string }[];
  /** How many voices the account has, whatever the filter. */
  total: number;
  /** The setting `voiceQuota`. */
  quota: number;
  /** `quota` less `total`, at least 0. */
  remaining: number;
}

/** Lists the account's voices whenever the program runs, in previews too. Free of charge. */
export async function getVoices(args: GetVoicesArgs = {}): Promise<GetVoicesResult> {
  return listVoices(await programConnection(), args.targetModel);
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
