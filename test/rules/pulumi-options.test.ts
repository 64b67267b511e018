import { outcomeOptions } from "../../provider/src/run-pulumi";

test.each([
  ...["CONFIG_FILE", "CONFIG", "CONFIG_PATH", "STACK", "TARGET", "TARGETS_FILE", "TARGET_DEPENDENTS", "TARGET_REPLACE"],
  ...["EXCLUDE", "EXCLUDE_DEPENDENTS", "REPLACE", "REFRESH", "RUN_PROGRAM", "CWD", "CONTINUE_ON_ERROR", "IMPORT_FILE"],
  ...["EXPECT_NO_CHANGES", "PLAN", "POLICY_PACK", "SECRETS_PROVIDER", "OF_NEXT_YEAR", ""],
])("PULUMI_OPTION_%s changes what an update does, or is not known", (name) => {
  expect(outcomeOptions({ [`PULUMI_OPTION_${name}`]: "x" })).toEqual([`PULUMI_OPTION_${name}`]);
});

test.each(["JSON", "DIFF", "COLOR", "SHOW_SAMES", "SUPPRESS_OUTPUTS", "EVENT_LOG", "YES", "SKIP_PREVIEW", "PARALLEL"])(
  "PULUMI_OPTION_%s changes the output only, or is what a pipeline does anyway",
  (name) => {
    expect(outcomeOptions({ [`PULUMI_OPTION_${name}`]: "x", [`pulumi_option_${name.toLowerCase()}`]: "x" })).toEqual(
      [],
    );
  },
);

test("all names are listed, sorted, in the case in which they are set; other variables are not", () => {
  const environment = {
    PULUMI_OPTION_TARGET: "a",
    pulumi_option_stack: "b",
    PULUMI_STACK: "c",
    MY_PULUMI_OPTION_X: "d",
  };
  expect(outcomeOptions(environment)).toEqual(["PULUMI_OPTION_TARGET", "pulumi_option_stack"]);
});
