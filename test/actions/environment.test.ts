import { hostEnvironment, installEnvironment, programEnvironment } from "../../actions/src/environment";

const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, "x"]));
const system = ["GITHUB_ACTIONS", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA", "HOME", "LC_ALL", "PATH"];
const authorities = ["GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"];
const always = [...system, ...authorities, "RUNNER_TRACKING_ID", "https_proxy"];
const credentials = ["ARM_CLIENT_SECRET", "AWS_ACCESS_KEY_ID", "AZURE_STORAGE_KEY", "GOOGLE_CREDENTIALS", "PGPASSWORD"];
const settings = ["CLOUDVOICE_API_KEY", "PULUMI_BACKEND_URL"];
const ofRunner = [
  ...["ACTIONS_RUNTIME_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_CACHE_URL", "INPUT_API-KEY", "RUNNER_TEMP"],
  ...["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY", "STATE_secret"],
];
const others = ["GITHUB_TOKEN", "GH_TOKEN", "TENANT", "LD_PRELOAD", "NODE_AUTH_TOKEN", "npm_config_cache"];
const job = named([...always, ...credentials, ...settings, ...ofRunner, ...others]);

test.each<[who: string, environment: Record<string, string>, names: string[]]>([
  ["the program", programEnvironment(job), [...always, ...credentials, ...settings]],
  [
    "a program for which a person lists a variable",
    programEnvironment(job, ["TENANT", "MISSING"]),
    [...always, ...credentials, ...settings, "TENANT"],
  ],
  ["what installs packages", installEnvironment(job), [...always, "NODE_AUTH_TOKEN", "npm_config_cache"]],
  ["a command that reads the repository", hostEnvironment(job, "t0ken"), [...always, "GITHUB_TOKEN"]],
])("%s gets these variables, and no other", (_, environment, names) => {
  expect(Object.keys(environment).sort()).toEqual([...names].sort());
});

test.each(["GITHUB_ENV", "ACTIONS_RUNTIME_TOKEN", "INPUT_API-KEY", "github_output"])(
  "a person can't list %s for the program",
  (name) => {
    expect(() => programEnvironment(job, [name])).toThrow(`names ${name}, which a program must not get`);
  },
);
