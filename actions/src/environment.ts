/**
 * The variables that each step passes on: only the variables in these lists, so that a program that prints or saves its
 * environment does not publish the runner's tokens (ACTIONS_RUNTIME_TOKEN, ACTIONS_ID_TOKEN_REQUEST_TOKEN) or the
 * action's inputs (INPUT_API-KEY). This is no boundary: a program can read the environment of its parent process.
 */

const system = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "CI"],
  ...["NODE_OPTIONS", "NO_COLOR", "FORCE_COLOR"],
  // The certificate authorities of a company, for OpenSSL, Node.js, Git, curl and Python.
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE"],
  // The runner uses this variable to find the processes that it ends after the job.
  "RUNNER_TRACKING_ID",
];
/** Facts about the change, which Pulumi and the commands of this package read. */
const facts = [
  ...["ACTIONS", "ACTOR", "API_URL", "BASE_REF", "EVENT_NAME", "EVENT_PATH", "HEAD_REF", "JOB", "REF", "REF_NAME"],
  ...["REF_TYPE", "REPOSITORY", "RUN_ATTEMPT", "RUN_ID", "RUN_NUMBER", "SERVER_URL", "SHA", "WORKFLOW", "WORKSPACE"],
].map((name) => `GITHUB_${name}`);

const alwaysPassed = new RegExp(
  `^(?:${[...system, ...facts].join("|")}|LC_\\w+|XDG_\\w+|(?:HTTPS?|ALL|NO)_PROXY)$`,
  "i",
);

/** Settings of this package and of Pulumi, and the credentials of backends, buckets and key services. */
const ofPulumi = /^(?:CLOUDVOICE|PULUMI|AWS|AZURE|ARM|GOOGLE|GCLOUD|CLOUDSDK|VAULT|PG)_?[A-Z_]\w*$/;

/** Settings of npm and pip, with the credentials of registries. */
const ofInstallers = /^(?:npm_config_|NPM_|NODE_AUTH_TOKEN$|PIP_|UV_)/i;

type Environment = Record<string, string>;

/** The environment of the program. `more`: further variables, which the input `environment` lists. */
export function programEnvironment(environment: NodeJS.ProcessEnv, more: readonly string[] = []): Environment {
  const isRunners = (name: string) => /^(?:ACTIONS_|INPUT_|GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/i.test(name);
  const refused = more.filter(isRunners);
  if (refused.length > 0)
    throw new Error(
      `The input environment names ${refused.join(", ")}, which a program must not get. Remove the name.`,
    );
  return only(environment, (name) => ofPulumi.test(name) || more.includes(name));
}

/** The environment of installers, without secrets of the service or of a backend. */
export function installEnvironment(environment: NodeJS.ProcessEnv): Environment {
  return only(environment, (name) => ofInstallers.test(name));
}

/** The environment of the commands that read the repository or its host. */
export function hostEnvironment(environment: NodeJS.ProcessEnv, token: string): Environment {
  return { ...only(environment, () => false), GITHUB_TOKEN: token };
}

function only(environment: NodeJS.ProcessEnv, isMore: (name: string) => boolean): Environment {
  const entries = Object.entries(environment).filter(([name]) => alwaysPassed.test(name) || isMore(name));
  return Object.fromEntries(entries.map(([name, value = ""]) => [name, value]));
}
