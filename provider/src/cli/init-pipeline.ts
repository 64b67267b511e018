import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import mustache from "mustache";
import { attempt } from "../describe-thrown";
import { InputError } from "../errors";
import { isWithin, linkIn, makeFolder, readRegularFile } from "../files";
import { topOf } from "../git";
import { isRecord } from "../rules/values";
import { shellQuoted, visible } from "../rules/visible";
import { printLine } from "./print";
import { projectHere } from "./stack";
import { projectFileIn } from "./stacks/project-file";

/** Files of this package that `init` writes. The build copies the action to `dist`, and tests run the sources. */
const isBuilt = basename(__dirname) === "dist";
export const templatesFolder = join(__dirname, isBuilt ? "../templates" : "../../templates");
export const actionFolder = join(__dirname, isBuilt ? "action" : "../../../actions/review");

const hosts = {
  github: {
    name: "GitHub",
    workflow: ".github/workflows/voices.yml",
    action: ".github/actions/cloudvoice",
    createRepository: "gh repo create --private --source . --push",
    addPipeline: "git add .github",
    createChange: "gh pr create --fill",
    settings: githubSettings,
  },
  gitlab: {
    name: "GitLab",
    workflow: ".gitlab-ci.yml",
    action: undefined,
    createRepository: "glab repo create --private --defaultBranch main && git push --set-upstream origin main",
    addPipeline: "git add .gitlab-ci.yml",
    createChange: "glab mr create --fill --yes",
    settings: gitlabSettings,
  },
};
export type Host = keyof typeof hosts;
export const pipelineHosts = Object.keys(hosts) as Host[];

/** What a person does, and the commands for it. Each runs only if the one before succeeded. */
type Step = [what: string, ...commands: string[]];

/** Writes the pipeline of the project in a folder. Prints what remains to be done. Writes nothing if there is a problem. */
export function initPipeline(folder: string, host: Host, environments: readonly string[]): void {
  const { workflow, action } = hosts[host];
  const files = new Map<string, string | Buffer>();
  const problems = [...problemsOfProject(folder), ...problemsOfNames(environments)];
  if (problems.length === 0) files.set(workflow, pipelineText(host, environments, folder));
  if (action !== undefined)
    for (const file of readdirSync(actionFolder, { recursive: true }) as string[])
      if (statSync(join(actionFolder, file)).isFile())
        files.set(`${action}/${file.replaceAll("\\", "/")}`, readFileSync(join(actionFolder, file)));
  problems.push(...[...files].flatMap(([name, content]) => problemOfFile(folder, name, content) ?? []));
  if (problems.length > 0) throw new InputError(`Nothing was written. ${problems.join(" ")}`);

  const missing = [...files].filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, content] of missing) {
    makeFolder(dirname(join(folder, name)));
    writeFileSync(join(folder, name), content, { flag: "wx" });
  }
  const names = missing.map(([name]) => name);
  printLine(
    names.length === 0 ? "All files are there already." : `Wrote to ${visible(resolve(folder))}: ${names.join(", ")}.`,
  );
  const steps = stepsOf(folder, host, environments);
  const lines = steps.map(([what, ...commands], at) => `${at + 1}. ${what}\n   ${commands.join(" &&\n   ")}`);
  printLine(`Next, in this folder:\n${lines.join("\n")}\nMore: docs/pipelines/README.md`);
}

/** The text of the workflow. */
export function pipelineText(host: Host, environments: readonly string[], folder: string): string {
  const quoted = environments.map((name) => JSON.stringify(name));
  const view = {
    project: JSON.stringify(projectHere(folder).name),
    stacks: quoted.join(", "),
    several: environments.length > 1,
    python: existsSync(join(folder, "requirements.txt")),
    updates: environments.map((name, at) => ({
      job: `up-${name}`,
      stack: quoted[at],
      // The first update runs after the check for drift, and each other update after that of the previous environment.
      after: at === 0 ? "drift" : `up-${environments[at - 1] ?? ""}`,
      previous: at > 0,
      isLast: at === environments.length - 1,
    })),
  };
  const template = readFileSync(join(templatesFolder, "pipelines", `${host}.yml`), "utf8");
  return mustache.render(template, view, undefined, { tags: ["<%", "%>"], escape: String });
}

function problemsOfProject(folder: string): string[] {
  const shown = visible(folder);
  if (projectFileIn(folder) === undefined)
    return [`${shown} has no Pulumi project. Write one with \`init\`, and run the command in its folder.`];
  const top = topOf(resolve(folder));
  const below = top === undefined ? "" : relative(top, resolve(folder));
  const name = projectHere(folder).name;
  return [
    ...(below === ""
      ? []
      : [
          `The pipeline is read from the top folder of the repository, and the project is in ${visible(below)}. ` +
            "See docs/pipelines/larger.md, Several projects.",
        ]),
    ...(/^[\w.-]+$/.test(name) ? [] : [`The name of the project in ${shown} is missing or invalid.`]),
    ...problemsOfPackage(resolve(folder)),
  ];
}

/** Why the runner of a pipeline can't install the package. */
function problemsOfPackage(folder: string): string[] {
  const spec = packageSpec(folder);
  if (spec === undefined)
    return ["package.json does not have pulumi-cloudvoice. Install the packed file (docs/quick-start.md)."];
  const file = spec.startsWith("file:") ? spec.slice(5) : undefined;
  if (file !== undefined && (isAbsolute(file) || !isWithin(folder, resolve(folder, file)))) {
    const install = `cp ${shellQuoted(file)} . && npm install ${shellQuoted(`./${basename(file)}`)}`;
    return [`The pipeline does not have the file from which package.json takes pulumi-cloudvoice. Run \`${install}\`.`];
  }
  const isLocked = existsSync(join(folder, "package-lock.json"));
  return isLocked ? [] : ["The pipeline needs package-lock.json. Run `npm install`."];
}

function problemsOfNames(environments: readonly string[]): string[] {
  const invalid = environments.filter((name) => !/^[a-z0-9][\w-]{0,99}$/i.test(name));
  // Names of environments are case-insensitive. Reviews have environments of their own.
  const all = environments.flatMap((name) => [name, `${name}-review`]).map((name) => name.toLowerCase());
  const twice = all.find((name, at) => all.indexOf(name) !== at);
  return [
    ...(invalid.length === 0
      ? []
      : [
          `--environments has ${invalid.map((name) => `"${visible(name)}"`).join(", ")}. ` +
            "A name has letters, digits, - and _, begins with a letter or digit, and names a stack.",
        ]),
    ...(twice === undefined ? [] : [`--environments would use the name ${visible(twice)} twice.`]),
  ];
}

function problemOfFile(folder: string, name: string, content: string | Buffer): string | undefined {
  const path = join(folder, name);
  const link = linkIn(resolve(folder), resolve(dirname(path)));
  if (link !== undefined) return `${visible(link)} is a symbolic link. Remove it.`;
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return readRegularFile(path, 10_000_000)?.equals(Buffer.from(content))
    ? undefined
    : `${name} exists with other content. Move it away, and run the command again.`;
}

/** How package.json names this package. */
function packageSpec(folder: string): string | undefined {
  const text = readRegularFile(join(folder, "package.json"), 10_000_000)?.toString() ?? "";
  const content = attempt((): unknown => JSON.parse(text));
  const { dependencies, devDependencies } = isRecord(content) ? content : {};
  const spec = [dependencies, devDependencies].map((each) => isRecord(each) && each["pulumi-cloudvoice"]);
  return spec.find((each) => typeof each === "string");
}

function stepsOf(folder: string, host: Host, environments: readonly string[]): Step[] {
  const { name, createRepository, addPipeline, createChange, settings } = hosts[host];
  const stacks = environments.map((stack) => `pulumi stack init ${shellQuoted(stack)}`);
  return [
    ...(mayHaveRemote(folder)
      ? []
      : [[`Put the project on ${name}.`, ...firstCommit, createRepository] satisfies Step]),
    [
      "Create the stacks in Pulumi Cloud (other backends: docs/pipelines/larger.md).",
      "pulumi login https://api.pulumi.com",
      ...stacks,
    ],
    ...settings(environments),
    [
      "Open a change that adds the pipeline, for a review. The merge starts the first update, which is billed.",
      "git switch --create pipeline",
      addPipeline,
      "git commit --message 'Review and update the voices' && git push --set-upstream origin pipeline",
      createChange,
    ],
  ];
}

// Without a remote, there may be nothing to commit, and the branch may not be `main`. Another `main` is never overwritten.
const firstCommit = [
  "git init --initial-branch main && git add . ':!.github' ':!.gitlab-ci.yml'",
  "git commit --allow-empty --message 'The voices' && git branch --move main",
];

/** Whether the folder is in a repository that may have a remote: in a worktree or a submodule, `.git` has no settings. */
function mayHaveRemote(folder: string): boolean {
  const top = topOf(resolve(folder));
  if (top === undefined) return false;
  return readRegularFile(join(top, ".git", "config"), 10_000_000)?.includes('[remote "') ?? true;
}

/** The steps that store secrets. With several environments, each has secrets of its own, and so have its reviews. */
function secretSteps(
  environments: readonly string[],
  store: (name: string, scope?: string) => string,
  storeAddress: string,
): Step[] {
  const create = "Create a token of Pulumi Cloud (https://app.pulumi.com/account/tokens), and paste";
  const secrets = (scope?: string) => ["PULUMI_ACCESS_TOKEN", "CLOUDVOICE_API_KEY"].map((name) => store(name, scope));
  if (environments.length === 1)
    return [[`${create} it, the key of the service, and the address that gets the key.`, ...secrets(), storeAddress]];
  const scopes = environments.flatMap((name): [string, string][] => [
    [name, name],
    [`${name}-review`, `${name}-review (read-only)`],
  ]);
  return [
    ...scopes.map(([scope, of]): Step => [`${create} it, and a key of the service, for ${of}.`, ...secrets(scope)]),
    ["Paste the address of the service, which gets the keys.", storeAddress],
  ];
}

const mergeStep = "Let a failed review stop the merge";

function githubSettings(environments: readonly string[]): Step[] {
  const checks = {
    strict_required_status_checks_policy: false,
    required_status_checks: [{ context: "reviewed" }],
  };
  const ruleset = JSON.stringify({
    ...{ name: "voices", target: "branch", enforcement: "active" },
    conditions: { ref_name: { include: ["~DEFAULT_BRANCH"], exclude: [] } },
    rules: [{ type: "required_status_checks", parameters: checks }],
  });
  return [
    ...(environments.length === 1 ? [] : environments.map(githubEnvironment)),
    ...secretSteps(
      environments,
      (name, scope) => ["gh secret set", name, ...(scope === undefined ? [] : ["--env", shellQuoted(scope)])].join(" "),
      "gh variable set CLOUDVOICE_BASE_URL",
    ),
    [
      `${mergeStep} (a private repository needs a paid plan for this; without it, leave this out, and read each review).`,
      `echo ${shellQuoted(ruleset)} | ${githubApi("POST", "rulesets")} --input -`,
    ],
  ];
}

function githubEnvironment(name: string, at: number, all: readonly string[]): Step {
  const isLast = at === all.length - 1;
  const reviewer = ` -f 'reviewers[][type]=User' -F "reviewers[][id]=$(gh api user --jq .id)"`;
  const policy = "deployment_branch_policy";
  return [
    `Create the environments ${name} (for main only${isLast ? ", with you as its reviewer" : ""}) and ${name}-review.`,
    `${githubApi("PUT", `environments/${name}`)} -F '${policy}[protected_branches]=false'` +
      ` -F '${policy}[custom_branch_policies]=true'${isLast ? reviewer : ""}`,
    `${githubApi("POST", `environments/${name}/deployment-branch-policies`)} -f name=main`,
    githubApi("PUT", `environments/${name}-review`),
  ];
}

/** `gh` puts the names of the repository in place of `{owner}` and `{repo}`. */
function githubApi(method: string, path: string): string {
  return `gh api --silent --method ${method} ${shellQuoted(`repos/{owner}/{repo}/${path}`)}`;
}

function gitlabSettings(environments: readonly string[]): Step[] {
  const secret = (name: string, scope?: string) => {
    const store = `printf '${name}: ' && read -rs VALUE && echo && printf %s "$VALUE" | glab variable set ${name} --raw --masked`;
    if (scope === undefined) return store;
    // Only jobs of protected branches get secrets that can write.
    return `${store}${environments.includes(scope) ? " --protected" : ""} --scope ${shellQuoted(scope)}`;
  };
  return [
    ...secretSteps(
      environments,
      secret,
      `printf 'CLOUDVOICE_BASE_URL: ' && read -r VALUE && printf %s "$VALUE" | glab variable set CLOUDVOICE_BASE_URL --raw`,
    ),
    [
      "Create the token that posts reviews, for a year (on gitlab.com, this needs a paid plan. Without it, a review is an artifact).",
      'printf %s "$(glab token create cloudvoice --access-level reporter --scope api --duration 8760h)" | ' +
        "glab variable set GITLAB_TOKEN --raw --masked --scope review-note",
    ],
    [
      `${mergeStep}, check for drift each night, and update once a month.`,
      "glab api --silent --method PUT projects/:id --field only_allow_merge_if_pipeline_succeeds=true",
      "glab schedule create --ref main --description drift --cron '17 3 * * *'",
      "glab schedule create --ref main --description voices --cron '17 5 1 * *' --variable VOICES_UP:true",
    ],
  ];
}
