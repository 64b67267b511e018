import { looksGenerated, hashIn } from "./naming";

/**
 * The variable in which `pulumi-cloudvoice up` passes the names of the creates that a killed run began. Only that command
 * sets it, because a provider reads no state.
 */
export const pendingVariable = "CLOUDVOICE_PENDING_CREATES";

/** The hashes in the variable's names. */
export function pendingIn(environment: Record<string, string | undefined>): ReadonlySet<string> {
  const names = (environment[pendingVariable] ?? "").split(",");
  return new Set(names.filter(looksGenerated).map(hashIn));
}
