/**
 * The variables that the program of a change gets: a list of what is allowed. Everything else of the runner stays away,
 * e.g. the files with which a step sets variables of later steps (GITHUB_ENV, GITHUB_OUTPUT), the tokens of the runner
 * (ACTIONS_RUNTIME_TOKEN, ACTIONS_ID_TOKEN_REQUEST_TOKEN), and the inputs of the action (INPUT_API-KEY).
 */

const system = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP", "CI"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS", "NO_COLOR", "FORCE_COLOR"],
  // The runner ends processes with this variable at the end of the job.
  "RUNNER_TRACKING_ID",
];
/** Where the change is. Pulumi and the commands of this package read them. */
const facts = [
  ...["ACTIONS", "ACTOR", "API_URL", "BASE_REF", "EVENT_NAME", "EVENT_PATH", "HEAD_REF", "JOB", "REF", "REF_NAME"],
  ...["REF_TYPE", "REPOSITORY", "RUN_ATTEMPT", "RUN_ID", "RUN_NUMBER", "SERVER_URL", "SHA", "WORKFLOW", "WORKSPACE"],
].map((name) => `GITHUB_${name}`);

const always = new RegExp(`^(?:${[...system, ...facts].join("|")}|LC_\\w+|XDG_\\w+|(?:HTTPS?|ALL|NO)_PROXY)$`, "i");

/** Settings of this package and of Pulumi, and the credentials of backends, buckets and key services. */
const ofPulumi = /^(?:CLOUDVOICE|PULUMI|AWS|AZURE|ARM|GOOGLE|GCLOUD|CLOUDSDK|VAULT|PG)_?[A-Z_]\w*$/;

/** Settings of npm and pip, with the credentials of registries. */
const ofInstallers = /^(?:npm_config_|NPM_|NODE_AUTH_TOKEN$|PIP_|UV_)/i;

type Environment = Record<string, string>;

/** For the program. `more`: names of further variables, which a person has listed. */
export function programEnvironment(all: NodeJS.ProcessEnv, more: readonly string[] = []): Environment {
  const isRunners = (name: string) => /^(?:ACTIONS_|INPUT_|GITHUB_(?:ENV|PATH|OUTPUT|STATE|STEP_SUMMARY)$)/i.test(name);
  const refused = more.filter(isRunners);
  if (refused.length > 0)
    throw new Error(`The input environment names ${refused.join(", ")}, which no program may have. Remove it.`);
  return only(all, (name) => ofPulumi.test(name) || more.includes(name));
}

/** For what installs packages: no secret of the service or of a backend. */
export function installEnvironment(all: NodeJS.ProcessEnv): Environment {
  return only(all, (name) => ofInstallers.test(name));
}

/** For the commands of this package that read the repository or its host. */
export function hostEnvironment(all: NodeJS.ProcessEnv, token: string): Environment {
  return { ...only(all, () => false), GITHUB_TOKEN: token };
}

function only(all: NodeJS.ProcessEnv, isMore: (name: string) => boolean): Environment {
  const entries = Object.entries(all).filter(([name]) => always.test(name) || isMore(name));
  return Object.fromEntries(entries.map(([name, value = ""]) => [name, value]));
}
