import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./files";
import { readYaml } from "./runner";

/** The shell of the recipes that are not for GitHub, and the variables of a job there. */

export type JobName = "recordings" | "review" | "comment" | "up" | "drift";

export interface Recipe {
  /** The lines of shell of each job. */
  shell: Record<JobName, string[]>;
  /** What the host sets in a job whose checkout is in this folder. */
  variables: (checkout: string, temp: string) => Record<string, string>;
}

type Script = string | Script[];
const lines = (script: Script): string[] => (typeof script === "string" ? [script] : script.flatMap(lines));
const folder = "docs/pipelines";
const limits = "--limit voices=500,images=10,decisions=10,cost=5,replaced=20%";

function gitlab(): Recipe {
  const jobs = readYaml(`${folder}/gitlab.yml`) as Record<string, { script: Script }> & {
    variables: Record<string, string>;
  };
  const shellOf = (name: string) => lines(jobs[name]?.script ?? "exit 99");
  const shell = { review: shellOf("review"), comment: shellOf("note"), up: shellOf(".up"), drift: shellOf("drift") };
  return {
    shell: { recordings: [], ...shell },
    variables: (checkout) => ({
      ...{
        CI_PROJECT_DIR: checkout,
        CI_DEFAULT_BRANCH: "main",
        CI_COMMIT_BRANCH: "main",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "of-the-author",
        LIMITS: jobs.variables.LIMITS ?? "",
      },
      CLOUDVOICE_VOICE_PRICE: jobs.variables.CLOUDVOICE_VOICE_PRICE ?? "",
    }),
  };
}

function azure(): Recipe {
  type Step = { script?: string; checkout?: string };
  const { jobs } = readYaml(`${folder}/azure-pipelines.yml`) as { jobs: { job: string; steps: Step[] }[] };
  /** Azure replaces `$(Name)` by the value of a variable, before the shell sees the script. */
  const shellOf = (job: string, start = "exit 99") => {
    const scripts = (jobs.find((each) => each.job === job)?.steps ?? []).flatMap(({ script = [] }) => script);
    const inShell = (text: string) =>
      text.replace(/\$\(([\w.]+)\)/g, (_, name: string) => `$${name.replaceAll(".", "_")}`);
    return [start, ...scripts.map((script) => `(${inShell(script)})`)];
  };
  const [here, release] = ['cd "$CHECKOUT"', 'git clone -q "$ORIGIN" "$Agent_BuildDirectory/release"'];
  const main = shellOf("main", here);
  return {
    shell: {
      ...{ recordings: [], review: [release, ...shellOf("review", here)] },
      comment: [release, ...shellOf("comment", 'cd "$Agent_BuildDirectory/release"')],
      up: main.filter((line) => !line.includes("--drift")),
      drift: main.filter((line) => !line.includes("cloudvoice up")),
    },
    variables: (checkout, temp) => ({
      ...{ CHECKOUT: checkout, Agent_TempDirectory: temp, Agent_BuildDirectory: temp, Pipeline_Workspace: temp },
      ...{
        LIMITS: limits,
        System_CollectionUri: "https://dev.azure.com/acme/",
        System_TeamProject: "p",
        Build_BuildId: "5",
      },
    }),
  };
}

function bitbucket(): Recipe {
  type Steps = { step: { name: string; script: string[] } }[];
  const { pipelines } = readYaml(`${folder}/bitbucket-pipelines.yml`) as {
    pipelines: { "pull-requests": { "**": Steps }; branches: { main: Steps }; custom: { drift: Steps } };
  };
  const shellOf = (steps: Steps, name: string) =>
    steps.find(({ step }) => step.name === name)?.step.script ?? ["exit 99"];
  const [ofChange, drift] = [pipelines["pull-requests"]["**"], shellOf(pipelines.custom.drift, "drift")];
  return {
    shell: {
      recordings: shellOf(ofChange, "recordings"),
      ...{ review: shellOf(ofChange, "review"), comment: shellOf(ofChange, "comment") },
      ...{ up: shellOf(pipelines.branches.main, "up"), drift },
    },
    variables: (checkout) => ({ BITBUCKET_CLONE_DIR: checkout, BITBUCKET_PR_DESTINATION_BRANCH: "of-the-author" }),
  };
}

function circle(): Recipe {
  type Step = string | { run?: string };
  const { jobs, commands } = readYaml(`${folder}/circleci.yml`) as Record<
    "jobs" | "commands",
    Record<string, { steps: Step[] }>
  >;
  const shellOf = (name: JobName): string[] => stepsOf(jobs?.[name]?.steps ?? []);
  const stepsOf = (steps: Step[]): string[] =>
    steps.flatMap((step) =>
      typeof step === "string"
        ? stepsOf(commands?.[step]?.steps ?? [])
        : step.run === undefined
          ? []
          : [`(${step.run})`],
    );
  return {
    shell: {
      ...{ recordings: shellOf("recordings"), review: shellOf("review"), comment: shellOf("comment") },
      ...{ up: shellOf("up"), drift: shellOf("drift") },
    },
    variables: (_, temp) => ({
      ...{ CIRCLE_SHA1: "c0ffee", CIRCLE_PULL_REQUEST: "https://github.com/acme/voices/pull/7", LIMITS: limits },
      ...{ CIRCLE_BUILD_URL: "https://circleci.com/5", BASH_ENV: join(temp, "env"), CIRCLE_REPOSITORY_URL: "$ORIGIN" },
    }),
  };
}

function jenkins(): Recipe {
  const text = readFileSync(join(root, folder, "Jenkinsfile"), "utf8");
  const release = /^def release = '(.*)'$/m.exec(text)?.[1] ?? "exit 99";
  const stage = (name: string) => {
    const part =
      text
        .slice(text.indexOf(`stage('${name}')`))
        .slice(1)
        .split(/\n *stage\(/)[0] ?? "";
    return [...part.matchAll(/\bsh (release \+ )?'([^']*)'/g)].map(
      ([, has, script = ""]) => `(${has ? release : ""}${script})`,
    );
  };
  return {
    shell: {
      ...{
        recordings: stage("recordings"),
        review: [...stage("install"), ...stage("review")],
        comment: stage("comment"),
      },
      ...{ up: stage("up"), drift: stage("drift") },
    },
    variables: (checkout, temp) => ({
      ...{
        WORKSPACE: checkout,
        WORKSPACE_TMP: temp,
        CHANGE_TARGET: "of-the-author",
        CHANGE_ID: "7",
        GIT_COMMIT: "c0ffee",
        LIMITS: limits,
      },
      BUILD_URL: "https://jenkins.example/5",
    }),
  };
}

const recipes: Record<string, () => Recipe> = { gitlab, azure, bitbucket, circle, jenkins };

export const hosts = Object.keys(recipes);

export function recipeOf(host: string): Recipe {
  const recipe = recipes[host];
  if (recipe === undefined) throw new Error(`There is no recipe for ${host}.`);
  return recipe();
}
