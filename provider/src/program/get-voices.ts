import * as pulumi from "@pulumi/pulumi";
import { assertKnownArguments, listArguments, listVoices } from "../service/functions";
import { assertKnownOptions, dependenciesReady, invokePlugin, isMocked, programConnection, valueOf } from "./functions";
import type { GetVoicesResult } from "../../generated/resources";

/** Arguments of {@link getVoices}. */
export interface GetVoicesArgs {
  /** Only voices that are bound to this synthesis model. Default: all voices. */
  targetModel?: string;
}

/**
 * Lists the account's voices whenever the program runs, in previews too. Free of charge. With the option `provider`,
 * lists the voices of that provider's account.
 */
export async function getVoices(args: GetVoicesArgs = {}, opts?: pulumi.InvokeOptions): Promise<GetVoicesResult> {
  assertKnownArguments("getVoices", args, listArguments);
  assertKnownOptions("getVoices", opts);
  return valueOf("getVoices", list(args, opts));
}

async function list(args: GetVoicesArgs, opts: pulumi.InvokeOptions | undefined): Promise<GetVoicesResult> {
  if (opts?.provider !== undefined || isMocked()) return invokePlugin("getVoices", args, opts);
  return listVoices(await programConnection(), args.targetModel);
}

/** {@link getVoices} for outputs. */
export function getVoicesOutput(
  args: { [K in keyof GetVoicesArgs]: pulumi.Input<GetVoicesArgs[K]> } = {},
  opts?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetVoicesResult> {
  assertKnownArguments("getVoicesOutput", args, listArguments);
  assertKnownOptions("getVoicesOutput", opts);
  return pulumi
    .all([pulumi.output(args), dependenciesReady(opts?.dependsOn)])
    .apply(([resolved]) => list(resolved as GetVoicesArgs, opts));
}
