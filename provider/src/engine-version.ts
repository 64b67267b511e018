/** The version of Pulumi that the tests use, and that messages and pages name. Its sources: `tools/engine/cli`. */
export const engineVersion = "3.259.0" as const;
