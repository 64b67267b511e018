import { join } from "node:path";
import { getInput, setFailed, summary } from "@actions/core";
import { programEnvironment } from "../environment";
import { keepRegularFiles, readText } from "../files";
import { projectFolder, withoutCommands } from "../job";
import type { Mode } from "../mode";
import { cliIn } from "../project";
import { runToEnd } from "../run-to-end";

/** Reviews, updates or checks the stack. Only this step has the secrets. */
export async function run(): Promise<void> {
  const [mode, folder] = [getInput("mode") as Mode, getInput("folder", { required: true })];
  const project = projectFolder();
  const cli = cliIn(project);
  if (cli === undefined)
    throw new Error(
      "The project does not have the package pulumi-cloudvoice. Add it: `npm install pulumi-cloudvoice`.",
    );
  const command = { name: "node", args: [cli, ...argsOf(mode, folder)], cwd: project, env: variables(project) };
  const { code, isCancelled } = await withoutCommands(() => runToEnd(command));
  keepRegularFiles(folder);
  const review = readText(join(folder, "review.md"));
  if (review !== undefined) await summary.addRaw(review, true).write();
  if (isCancelled) setFailed("The job was cancelled. Pulumi has ended, and the next run goes on from here.");
  else if (code !== 0) {
    setFailed(
      `pulumi-cloudvoice ${mode} ended with ${code}${mode === "drift" && code === 2 ? ": there is drift." : "."}`,
    );
    process.exitCode = code;
  }
}

function argsOf(mode: Mode, folder: string): string[] {
  const saved = ["md", "json"].flatMap((form) => ["--save", join(folder, `review.${form}`)]);
  const stack = ["--stack", getInput("stack", { required: true })];
  const limits = getInput("limits").split(/\s+/).filter(Boolean);
  const page = ["--save", join(folder, `${getInput("artifact")}.html`), "--recordings", getInput("recordings-folder")];
  switch (mode) {
    case "review":
      return ["review", "--allow-changes", ...stack, ...limits, ...saved, ...page];
    case "up":
      return ["up", ...stack, ...limits, ...saved];
    case "drift":
      return ["review", "--drift", ...stack, "--save", join(folder, "review.md")];
  }
}

/** The variables of the program: the inputs, and what the job may pass on. An input that is left out sets nothing. */
function variables(project: string): Record<string, string> {
  const passed = programEnvironment(
    process.env,
    getInput("environment")
      .split(/[\s,]+/)
      .filter(Boolean),
  );
  const baseUrl = getInput("base-url");
  // Otherwise an address for one interface, which the stack's configuration may have, would come before the one for all.
  const oneInterface = ["VOICE", "IMAGE", "DECISION"].map((name) => `CLOUDVOICE_${name}_BASE_URL`);
  const given = {
    ...Object.fromEntries(oneInterface.map((name) => [name, passed[name] ?? baseUrl])),
    CLOUDVOICE_BASE_URL: baseUrl,
    CLOUDVOICE_API_KEY: getInput("api-key"),
    CLOUDVOICE_VOICE_PRICE: getInput("voice-price"),
    CLOUDVOICE_IMAGE_PRICE: getInput("image-price"),
    CLOUDVOICE_DECISION_PRICE_PER_MILLION_TOKENS: getInput("decision-price"),
    // The program may run in a folder below (`main`), and a relative journal begins there.
    CLOUDVOICE_JOURNAL: getInput("journal") || join(project, ".cloudvoice-journal"),
    CLOUDVOICE_ACCEPT: getInput("accept"),
    PULUMI_BACKEND_URL: getInput("backend-url"),
    PULUMI_CONFIG_PASSPHRASE: getInput("passphrase"),
    PULUMI_ACCESS_TOKEN: getInput("access-token"),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  // Without a passphrase, Pulumi wants an empty one.
  const none = passed.PULUMI_CONFIG_PASSPHRASE_FILE ? {} : { PULUMI_CONFIG_PASSPHRASE: "" };
  return { ...none, ...passed, ...set };
}
