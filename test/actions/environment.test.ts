import { hostEnvironment, installEnvironment, programEnvironment } from "../../actions/src/environment";

const job = {
  ...{ PATH: "/bin", HOME: "/github/home", LC_ALL: "C", https_proxy: "http://proxy", RUNNER_TRACKING_ID: "github_1" },
  ...{ GIT_SSL_CAINFO: "/ca.pem", NODE_EXTRA_CA_CERTS: "/ca.pem", REQUESTS_CA_BUNDLE: "/ca.pem" },
  ...{
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: "team/voices",
    GITHUB_SHA: "c0ffee",
    GITHUB_EVENT_PATH: "/event.json",
  },
  ...{ CLOUDVOICE_API_KEY: "key", PULUMI_BACKEND_URL: "s3://b", AWS_ACCESS_KEY_ID: "id", PGPASSWORD: "p" },
  ...{
    AZURE_STORAGE_KEY: "k",
    ARM_CLIENT_SECRET: "c",
    GOOGLE_CREDENTIALS: "g",
    NODE_AUTH_TOKEN: "n",
    npm_config_cache: "c",
  },
  ...{
    ACTIONS_RUNTIME_TOKEN: "t",
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: "o",
    ACTIONS_CACHE_URL: "u",
    "INPUT_API-KEY": "key",
  },
  ...{ GITHUB_ENV: "/e", GITHUB_PATH: "/p", GITHUB_OUTPUT: "/o", GITHUB_STATE: "/s", GITHUB_STEP_SUMMARY: "/m" },
  ...{
    GITHUB_TOKEN: "secret",
    GH_TOKEN: "secret",
    TENANT: "acme",
    RUNNER_TEMP: "/temp",
    STATE_secret: "s",
    LD_PRELOAD: "x",
  },
};

const system = ["GITHUB_ACTIONS", "GITHUB_EVENT_PATH", "GITHUB_REPOSITORY", "GITHUB_SHA", "HOME", "LC_ALL", "PATH"];
const authorities = ["GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"];
const always = [...system, ...authorities, "RUNNER_TRACKING_ID", "https_proxy"];
const credentials = ["ARM_CLIENT_SECRET", "AWS_ACCESS_KEY_ID", "AZURE_STORAGE_KEY", "GOOGLE_CREDENTIALS", "PGPASSWORD"];

test.each<[who: string, environment: Record<string, string>, names: string[]]>([
  ["the program", programEnvironment(job), [...always, ...credentials, "CLOUDVOICE_API_KEY", "PULUMI_BACKEND_URL"]],
  [
    "a program for which a person lists a variable",
    programEnvironment(job, ["TENANT", "MISSING"]),
    [...always, ...credentials, "CLOUDVOICE_API_KEY", "PULUMI_BACKEND_URL", "TENANT"],
  ],
  ["what installs packages", installEnvironment(job), [...always, "NODE_AUTH_TOKEN", "npm_config_cache"]],
  ["a command that reads the repository", hostEnvironment(job, "t0ken"), [...always, "GITHUB_TOKEN"]],
])("%s gets these variables, and no other", (_, environment, names) => {
  expect(Object.keys(environment).sort()).toEqual([...names].sort());
});

test.each(["GITHUB_ENV", "ACTIONS_RUNTIME_TOKEN", "INPUT_API-KEY", "github_output"])(
  "a person can't list %s for the program",
  (name) => {
    expect(() => programEnvironment(job, [name])).toThrow(`names ${name}, which no program may have`);
  },
);
