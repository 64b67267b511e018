/**
 * A sentence if the engine saves the state only at the end of a run. Pulumi calls the state that it saves after each
 * step a checkpoint, and skips it only when both variables are set.
 */
export function skippedCheckpoints(environment: NodeJS.ProcessEnv): string | undefined {
  const isOn = (name: string) => /^(1|true)$/i.test(environment[name] ?? "");
  if (!isOn("PULUMI_SKIP_CHECKPOINTS") || !isOn("PULUMI_EXPERIMENTAL")) return undefined;
  return (
    "checkpoints are off (PULUMI_SKIP_CHECKPOINTS): the engine saves the state only at the end of a run. A run that " +
    "is killed loses what it made with other providers; voices, images and answers are found again with the journal"
  );
}
