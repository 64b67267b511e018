import { join } from "node:path";
import { getInput, setFailed, summary } from "@actions/core";
import { programEnvironment } from "../environment";
import { readReview } from "../files";
import { projectFolder, withoutCommands } from "../job";
import type { Mode } from "../mode";
import { cliIn } from "../project";
import { pidFileIn, runToEnd } from "../run-to-end";

/**
 * Reviews or updates the stack, or checks the stack for drift. Only this step gets the program's secrets. That keeps
 * secrets out of the logs of other steps, but is no boundary: a program can reach what its user can reach.
 */
export async function run(): Promise<void> {
  const [mode, folder] = [getInput("mode") as Mode, getInput("folder", { required: true })];
  const project = projectFolder();
  const cli = cliIn(project);
  if (cli === undefined)
    throw new Error(
      "The project does not have the package pulumi-cloudvoice. Commit its packed file, and add it: docs/pipelines/README.md.",
    );
  const env = variables(project);
  const runCli = (args: string[]) =>
    withoutCommands(() => runToEnd({ name: "node", args: [cli, ...args], cwd: project, env }, pidFileIn(folder)));
  let { code, isCancelled } = await runCli(argsOf(mode, folder));
  if (mode === "drift" && !isCancelled && [0, 2].includes(code)) {
    const orphans = await runCli(orphansArgs());
    isCancelled = orphans.isCancelled;
    if (orphans.code !== 0) ({ code } = orphans);
  }
  const review = readReview(join(folder, "review.md"));
  if (review !== undefined) await summary.addRaw(review, true).write();
  if (isCancelled) setFailed("The job was cancelled. Pulumi has ended, and the next run continues the work.");
  else if (code !== 0) {
    setFailed(
      `pulumi-cloudvoice ${mode} exited with ${code}${mode === "drift" && code === 2 ? ": there is drift, or there are orphans." : "."}`,
    );
    process.exitCode = code;
  }
}

function argsOf(mode: Mode, folder: string): string[] {
  const saved = ["md", "json"].flatMap((form) => ["--save", join(folder, `review.${form}`)]);
  const stack = stackOption();
  const limits = getInput("limits").split(/\s+/).filter(Boolean);
  const page = ["--save", join(folder, `${getInput("artifact")}.html`), "--recordings", getInput("recordings-folder")];
  switch (mode) {
    case "review":
      return ["review", ...stack, ...limits, ...saved, ...page];
    case "up":
      return ["up", ...stack, ...limits, ...saved];
    case "drift":
      return ["review", "--drift", "--exit-code", ...stack, "--save", join(folder, "review.md")];
  }
}

const stackOption = () => ["--stack", getInput("stack", { required: true })];

/** Voices that killed runs left are no difference between state and account, so a refresh does not find them. */
const orphansArgs = () => ["voices", "--orphans", "--exit-code", ...stackOption()];

/** The variables of the program: the inputs that are not empty, and the allowed variables of the job. */
function variables(project: string): Record<string, string> {
  const passed = programEnvironment(
    process.env,
    getInput("environment")
      .split(/[\s,]+/)
      .filter(Boolean),
  );
  const baseUrl = getInput("base-url");
  // Set the address of each interface: in the stack's configuration, such an address would win over `base-url`.
  const oneInterface = ["VOICE", "IMAGE", "DECISION"].map((name) => `CLOUDVOICE_${name}_BASE_URL`);
  const inputs = {
    ...Object.fromEntries(oneInterface.map((name) => [name, passed[name] ?? baseUrl])),
    CLOUDVOICE_BASE_URL: baseUrl,
    CLOUDVOICE_API_KEY: getInput("api-key"),
    CLOUDVOICE_VOICE_PRICE: getInput("voice-price"),
    CLOUDVOICE_IMAGE_PRICE: getInput("image-price"),
    CLOUDVOICE_DECISION_PRICE_PER_MILLION_TOKENS: getInput("decision-price"),
    // The path is absolute, because a relative path would begin in the program's folder (`main`).
    CLOUDVOICE_JOURNAL: getInput("journal") || join(project, ".cloudvoice-journal"),
    CLOUDVOICE_ACCEPT: getInput("accept"),
    PULUMI_BACKEND_URL: getInput("backend-url") || (passed.PULUMI_BACKEND_URL ?? "https://api.pulumi.com"),
    PULUMI_CONFIG_PASSPHRASE: getInput("passphrase"),
    PULUMI_ACCESS_TOKEN: getInput("access-token"),
  };
  const inputVariables = Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== ""));
  // Pulumi needs a passphrase, which may be empty.
  const emptyPassphrase = passed.PULUMI_CONFIG_PASSPHRASE_FILE ? {} : { PULUMI_CONFIG_PASSPHRASE: "" };
  return { ...emptyPassphrase, ...passed, ...inputVariables };
}
