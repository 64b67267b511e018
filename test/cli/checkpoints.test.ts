import { skippedCheckpoints } from "../../provider/src/cli/stack";

test.each([
  [{ PULUMI_SKIP_CHECKPOINTS: "true", PULUMI_EXPERIMENTAL: "true" }, true],
  [{ PULUMI_SKIP_CHECKPOINTS: "1", PULUMI_EXPERIMENTAL: "TRUE" }, true],
  // Since Pulumi 3.104 it works alone.
  [{ PULUMI_SKIP_CHECKPOINTS: "true" }, true],
  [{ PULUMI_EXPERIMENTAL: "true" }, false],
  [{ PULUMI_SKIP_CHECKPOINTS: "false", PULUMI_EXPERIMENTAL: "true" }, false],
  [{}, false],
])("with %j it reports runs without checkpoints: %p", (environment, reported) => {
  expect(skippedCheckpoints(environment) !== undefined).toBe(reported);
});
