/**
 * A sentence if the engine saves the state only at the end of a run. Pulumi calls the state that it saves after each
 * step a checkpoint. Since Pulumi 3.104 one variable skips it; before, PULUMI_EXPERIMENTAL was needed too.
 */
export function skippedCheckpoints(environment: NodeJS.ProcessEnv): string | undefined {
  if (!/^(1|true)$/i.test(environment.PULUMI_SKIP_CHECKPOINTS ?? "")) return undefined;
  return (
    "checkpoints are off (PULUMI_SKIP_CHECKPOINTS): the engine saves the state only at the end of a run. A run that " +
    "is killed loses what it made with other providers; voices, images and answers are found again with the journal"
  );
}
