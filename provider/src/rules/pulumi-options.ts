/**
 * Options that only change the printed output, or that a pipeline sets anyway. The commands of this package ignore
 * them. Pulumi also reads each option from a variable: `--target` from PULUMI_OPTION_TARGET.
 */
const harmlessOptions = new Set([
  ...["COLOR", "DEBUG", "DIFF", "EMOJI", "EVENT_LOG", "FULLY_QUALIFY_STACK_NAMES", "JSON", "LOGFLOW", "LOGTOSTDERR"],
  ...["MEMPROFILERATE", "NON_INTERACTIVE", "OTEL_TRACES", "PARALLEL", "PROFILING", "SHOW_CONFIG", "SHOW_FULL_OUTPUT"],
  ...["SHOW_POLICY_REMEDIATIONS", "SHOW_READS", "SHOW_REPLACEMENT_STEPS", "SHOW_SAMES", "SHOW_SECRETS"],
  ...["SKIP_PREVIEW", "SUPPRESS_OUTPUTS", "SUPPRESS_PERMALINK", "SUPPRESS_PROGRESS", "TRACING", "VERBOSE", "YES"],
]);

const option = /^PULUMI_OPTION_/i;

export function isPulumiOption(variable: string): boolean {
  return option.test(variable);
}

/** The variables that change what an update does, e.g. PULUMI_OPTION_CONFIG_FILE. Unknown options count too. */
export function outcomeOptions(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => isPulumiOption(name) && !harmlessOptions.has(name.replace(option, "").toUpperCase()))
    .sort();
}
