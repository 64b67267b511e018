import { existsSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import mustache from "mustache";
import { attempt } from "../attempt";
import { InputError } from "../errors";
import { isWithin, linkIn, makeFolder, readRegularFile } from "../files";
import { topOf } from "../git";
import { isRecord } from "../rules/is-record";
import { visible } from "../rules/visible";
import { shellQuoted } from "../shell-quoted";
import { actionFolder, templatesFolder } from "./package-files";
import { printLine } from "./print";
import { projectHere } from "./stack";
import { projectFileIn } from "./stacks/project-file";

const hosts = {
  github: {
    name: "GitHub",
    workflow: ".github/workflows/voices.yml",
    action: ".github/actions/cloudvoice",
    /** What the pull request adds. */
    added: ".github",
    createRepository: "gh repo create --private --source . --push",
    createChange: "gh pr create --fill",
    settings: githubSettings,
  },
  gitlab: {
    name: "GitLab",
    workflow: ".gitlab-ci.yml",
    action: undefined,
    added: ".gitlab-ci.yml",
    createRepository: "glab repo create --private --defaultBranch main && git push --set-upstream origin main",
    createChange: "glab mr create --fill --yes",
    settings: gitlabSettings,
  },
};
export type Host = keyof typeof hosts;
export const pipelineHosts = Object.keys(hosts) as Host[];

/** What a person does, and the command for it. */
type Step = [what: string, command: string];

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
  const lines = steps.map(([what, command], at) => `${at + 1}. ${what}\n   ${command}`);
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
      // The first update comes after the check for drift, each other one after that of the environment before.
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
    ...(/^[\w.-]+$/.test(name) ? [] : [`The name of the project in ${shown} is missing or not valid.`]),
    ...(packageSpec(folder) === undefined
      ? ["package.json does not have pulumi-cloudvoice. Install the packed file (docs/quick-start.md)."]
      : []),
  ];
}

function problemsOfNames(environments: readonly string[]): string[] {
  const invalid = environments.filter((name) => !/^[a-z0-9][\w-]{0,99}$/i.test(name));
  // Names of environments have no case. Reviews have environments of their own.
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
  const { name, added, createRepository, createChange, settings } = hosts[host];
  const { install, installed } = installSteps(folder);
  const isNew = topOf(resolve(folder)) === undefined;
  const first = [
    ...install,
    ...(isNew
      ? [
          `git init --initial-branch main && git add . ${shellQuoted(`:!${added}`)}`,
          `git commit --message ${shellQuoted("The voices")}`,
          createRepository,
        ]
      : []),
  ];
  const paths = [added, ...(isNew ? [] : installed)];
  const stacks = environments.map((stack) => `pulumi stack init ${shellQuoted(stack)}`);
  return [
    ...(first.length === 0
      ? []
      : [
          [isNew ? `Put the project on ${name}.` : "Let the pipeline install the package.", first.join(" && ")] as Step,
        ]),
    [
      `Create ${stacks.length === 1 ? "the stack" : "the stacks"} in Pulumi Cloud (other backends: docs/pipelines/larger.md).`,
      ["pulumi login https://api.pulumi.com", ...stacks].join(" && "),
    ],
    ...settings(environments),
    [
      `Open a ${host === "github" ? "pull" : "merge"} request, which is reviewed. Its merge starts the first update, which is billed.`,
      [
        `git switch --create pipeline && git add ${paths.map((path) => shellQuoted(path)).join(" ")}`,
        `git commit --message ${shellQuoted("Review and update the voices in a pipeline")}`,
        "git push --set-upstream origin pipeline",
        createChange,
      ].join(" && "),
    ],
  ];
}

/** The commands after which the runner can install the package, and the files that they change. */
function installSteps(folder: string): { install: string[]; installed: string[] } {
  const spec = packageSpec(folder) ?? "";
  const file = spec.startsWith("file:") ? spec.slice(5) : undefined;
  const changed = ["package.json", "package-lock.json"];
  const isInside = file !== undefined && isWithin(resolve(folder), resolve(folder, file));
  if (file !== undefined && (isAbsolute(file) || !isInside)) {
    const packed = isInside ? relative(resolve(folder), file) : basename(file);
    const copied = isInside ? [] : [`cp ${shellQuoted(file)} .`];
    return { install: [...copied, `npm install ${shellQuoted(`./${packed}`)}`], installed: [...changed, packed] };
  }
  return existsSync(join(folder, "package-lock.json"))
    ? { install: [], installed: [] }
    : { install: ["npm install"], installed: changed };
}

const tokenPage = "https://app.pulumi.com/account/tokens";
const serviceAddress = "Set the address of the service. The key is sent only there.";

function githubSettings(environments: readonly string[]): Step[] {
  const setSecret = (name: string, scope = "") => `gh secret set ${name}${scope}`;
  const secrets: Step[] =
    environments.length === 1
      ? [
          [`Create a token of Pulumi Cloud (${tokenPage}), and store it.`, setSecret("PULUMI_ACCESS_TOKEN")],
          ["Store the key of the service.", setSecret("CLOUDVOICE_API_KEY")],
        ]
      : environments.flatMap((name, at) => {
          const isLast = at === environments.length - 1;
          return [
            [
              `Create the environments ${name}, for main only${isLast ? " and with you as its reviewer" : ""}, and ${name}-review.`,
              githubEnvironment(name, isLast),
            ] satisfies Step,
            ...[name, `${name}-review`].map((scope): Step => [
              `Store the key of the service and a token of Pulumi Cloud (${tokenPage}) for ${scope}${scope === name ? "" : ": they can only read"}.`,
              ["CLOUDVOICE_API_KEY", "PULUMI_ACCESS_TOKEN"]
                .map((secret) => setSecret(secret, ` --env ${shellQuoted(scope)}`))
                .join(" && "),
            ]),
          ];
        });
  return [
    ...secrets,
    [serviceAddress, "gh variable set CLOUDVOICE_BASE_URL"],
    [
      "Let a failed review stop the merge (in a private repository, this needs a paid plan).",
      githubApi("POST", "rulesets", {
        ...{ name: "voices", target: "branch", enforcement: "active" },
        conditions: { ref_name: { include: ["~DEFAULT_BRANCH"], exclude: [] } },
        rules: [
          {
            type: "required_status_checks",
            parameters: {
              strict_required_status_checks_policy: false,
              required_status_checks: [{ context: "reviewed" }],
            },
          },
        ],
      }),
    ],
  ];
}

function githubEnvironment(name: string, hasReviewer: boolean): string {
  const path = `environments/${name}`;
  const policy = { deployment_branch_policy: { protected_branches: false, custom_branch_policies: true } };
  return [
    hasReviewer
      ? githubApi("PUT", path, { ...policy, reviewers: [{ type: "User", id: "%s" }] }, ' "$(gh api user --jq .id)"')
      : githubApi("PUT", path, policy),
    githubApi("POST", `${path}/deployment-branch-policies`, { name: "main" }),
    githubApi("PUT", `${path}-review`, {}),
  ].join(" && ");
}

/** `gh` puts the names of the repository in place of `{owner}` and `{repo}`, and `printf` the argument in place of %s. */
function githubApi(method: string, path: string, body: object, argument = ""): string {
  const text = shellQuoted(JSON.stringify(body).replace('"%s"', "%s"));
  const target = shellQuoted(`repos/{owner}/{repo}/${path}`);
  return `printf ${text}${argument} | gh api --silent --method ${method} ${target} --input -`;
}

function gitlabSettings(environments: readonly string[]): Step[] {
  const secret = (name: string, scope = "") =>
    `read -rs VALUE && printf %s "$VALUE" | glab variable set ${name} --raw --masked${scope}`;
  const secrets = (scope: string, of: string): Step[] => [
    [`Create a token of Pulumi Cloud (${tokenPage}), and paste it${of}.`, secret("PULUMI_ACCESS_TOKEN", scope)],
    [`Paste the key of the service${of}.`, secret("CLOUDVOICE_API_KEY", scope)],
  ];
  return [
    ...(environments.length === 1
      ? secrets("", "")
      : environments.flatMap((name) => [
          ...secrets(` --protected --scope ${shellQuoted(name)}`, ` for ${name}`),
          ...secrets(` --scope ${shellQuoted(`${name}-review`)}`, ` for ${name}-review: it can only read`),
        ])),
    [serviceAddress, 'read -r VALUE && printf %s "$VALUE" | glab variable set CLOUDVOICE_BASE_URL --raw'],
    [
      "Create the token that posts reviews, for a year (on gitlab.com, this needs a paid plan. Without it, a review is an artifact).",
      'printf %s "$(glab token create cloudvoice --access-level reporter --scope api --duration 8760h)" | ' +
        "glab variable set GITLAB_TOKEN --raw --masked --scope review-note",
    ],
    [
      "Let a failed review stop the merge, check for drift each night, and update once a month.",
      [
        "glab api --silent --method PUT projects/:id --field only_allow_merge_if_pipeline_succeeds=true",
        "glab schedule create --ref main --description drift --cron '17 3 * * *'",
        "glab schedule create --ref main --description voices --cron '17 5 1 * *' --variable VOICES_UP:true",
      ].join(" && "),
    ],
  ];
}
