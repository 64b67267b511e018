import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { decide } from "../../provider/emulator/decisions";
import { type Answers, type Expectations, question, type Questions } from "../../provider/src/rules/decision";
import { unmetExpectations } from "../../provider/src/rules/decision-answers";
import { membersOf } from "../../tools/generate/members";
import { exampleLanguages } from "../../tools/generate/examples";
import { engineVersion, oldestEngineVersion } from "../../tools/engine/build";
import { root } from "../support/files";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const markdownIn = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
  });
const examples = readdirSync(join(root, "examples")).map((name) => join("examples", name));
const pages = [".", "docs", "docs/contributing", "docs/pipelines", ...examples].flatMap(markdownIn);

test("the README has at most 150 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("every link between the pages leads to a file and a heading that exist", () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !target.includes("://") && !leadsSomewhere(page, target))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

// `npm run up` does not select its stack, so a command without a name would run on an empty stack.
test("every command on the example at the root names the stack", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: { up: string; destroy: string } };
  const commands = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:pulumi|cloudvoice) -- [^<`\n]+/g)].map(([command]) => command),
  );
  const onTheExample = [scripts.up, scripts.destroy, ...commands.filter((command) => !command.includes("--cwd"))];
  expect(onTheExample.length).toBeGreaterThan(5);
  expect(onTheExample.filter((command) => !/ --stack (dev|prod)\b/.test(command))).toEqual([]);
});

test("every file of the sources that a page for maintainers names exists", () => {
  const roots = [".", "provider", "provider/src"];
  const ours = ["AGENTS.md", "CONTRIBUTING.md", ...markdownIn("docs/contributing")];
  const named = ours.flatMap((page) =>
    [...read(page).matchAll(/[`\s]([\w.-]+(?:\/[\w.-]+)+\.(?:[mc]?[tj]s|json|yml))[`\s.,]/g)].map(
      ([, path = ""]) => path,
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((path) => !roots.some((folder) => existsSync(join(root, folder, path))))).toEqual([]);
});

test("the registry can show the two pages that it takes: it has neither our other pages nor our pictures", () => {
  for (const page of ["docs/_index.md", "docs/installation-configuration.md"]) {
    const text = read(page);
    expect(text).toMatch(/^---\ntitle: .+\nmeta_desc: .+\nlayout: package\n---\n/);
    const targets = [...text.matchAll(/\]\(([^)]*)\)|(?:href|src)=["']([^"']*)/g)].map(([, link, tag]) => link ?? tag);
    expect(targets.filter((target) => !target?.startsWith("https://"))).toEqual([]);
  }
  for (const language of exampleLanguages) expect(read("docs/_index.md")).toContain(`choosable language ${language}`);
});

test("every page of docs is in its index", () => {
  const index = read("docs/README.md");
  const missing = ["docs", "docs/pipelines"]
    .flatMap(markdownIn)
    .filter((page) => !index.includes(`(${relative("docs", page)})`));
  expect(missing).toEqual(["docs/README.md"]);
});

// The name is not registered yet: whoever registers it would get the keys in the environment of such a command.
test("no page, message, recipe, template or action has a command that downloads the package by its name", () => {
  const folders = ["docs", "examples", "actions", "provider/src", "provider/templates"];
  const files = [...markdownIn("."), ...folders.flatMap(filesIn)].filter(
    // The reference is generated, with copies of other files.
    (file) => !/CHANGELOG|node_modules|docs\/reference/.test(file),
  );
  const forms = files.flatMap((file) =>
    [...read(file).matchAll(/npx ((?:-\S+ )*)(\S*cloudvoice\S* ?\w*)/g)].map(String),
  );
  expect(forms.length).toBeGreaterThan(50);
  const first = /^npx --yes --package="\$\{PACKED:\?\}" pulumi-cloudvoice init/;
  expect(forms.filter((form) => !form.startsWith("npx --no-install pulumi-cloudvoice") && !first.test(form))).toEqual(
    [],
  );
  const downloads =
    /(?:npm (?:exec|i|install|add)|dlx|bunx|(?:pnpm|yarn|bun) add)(?: [\w@/.-]+)* pulumi-cloudvoice(?![\w.-]*\.tgz)/g;
  const pages = files.filter((file) => file.endsWith(".md"));
  expect(pages.flatMap((page) => [...read(page).matchAll(downloads)].map(([text]) => `${page}: ${text}`))).toEqual([]);
});

test("every example has a README with the command that runs it", () => {
  const withCommand = examples.filter(
    (example) => existsSync(join(root, example, "README.md")) && /```sh\n/.test(read(join(example, "README.md"))),
  );
  expect(withCommand).toEqual(examples);
});

test("pages name the Pulumi that the tests use", () => {
  const named = pages
    .filter((page) => page !== "CHANGELOG.md")
    .flatMap((page) => [...read(page).matchAll(/npx (?:--yes )?pulumi@(\S+?)[`\s]/g)].map(([, version]) => version));
  expect(named.length).toBeGreaterThan(1);
  expect(new Set(named)).toEqual(new Set([engineVersion]));
  const [major, minor] = engineVersion.split(".");
  expect(read("docs/performance.md")).toContain(
    `| Pulumi, the command line | ${oldestEngineVersion.replace(/\.0$/, "")} | ${major}.${minor} |`,
  );
  expect(read("docs/contributing/tests.md")).toContain(`the Pulumi command line ${engineVersion} `);
  expect(read("tools/engine/cli/go.mod")).toContain(`github.com/pulumi/pulumi/pkg/v3 v${engineVersion}\n`);
});

test("the gate of the README is open in the emulator", () => {
  const [, args = ""] = /new Decision\("[^"]+", (\{.*?\n\})\);/s.exec(read("README.md")) ?? [];
  type Gate = { state: string; questions: Questions; expect: Expectations };
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- The README's code is this repository's own.
  const gate = (new Function("question", `return ${args};`) as (from: typeof question) => Gate)(question);
  const { state, questions } = gate;
  const response = decide({ model: "decision-model-preview", state, questions }) as unknown;
  const { answers } = (response as { output: { answers: Answers } }).output;
  expect(Object.keys(gate.expect)).not.toEqual([]);
  expect(unmetExpectations(answers, questions, gate.expect)).toEqual([]);
});

const namesOf = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort();

/** The names in the first cells of a table: those of a part of a page that begin with code. */
function namesIn(page: string, from: string, to: string): string[] {
  const part = read(page).split(from)[1]?.split(to)[0] ?? "";
  const cells = part.split("\n").flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)).sort();
}

const declaredIn = (source: string, ...names: string[]) =>
  names
    .flatMap((name) => membersOf(source, name))
    .filter(({ description }) => !description.includes("@internal"))
    .map(({ name }) => name)
    .sort();

const problems = "docs/when-something-goes-wrong.md";
const errorClasses = () =>
  [...read("provider/src/errors.ts").matchAll(/^export class (\w+) extends CloudVoiceError/gm)].map(([, name]) => name);

test.each<[what: string, listed: string[], declared: (string | undefined)[]]>([
  [
    "errors lists their fields",
    namesOf(read(problems).split("## Errors")[1]?.split("<what failed>")[0] ?? "").filter(
      (name) => name !== "CloudVoiceError",
    ),
    ["message", ...declaredIn("provider/src/errors.ts", "CloudVoiceError")],
  ],
  ["errors lists its classes", namesIn(problems, "### Classes", "### Handle"), errorClasses()],
  [
    "reviews lists the fields of the JSON form",
    namesIn("docs/review.md", "## Fields of the JSON form", "`take` is"),
    [...declaredIn("provider/src/cli/review/review.ts", "Review"), "project", "stack"],
  ],
  [
    "testing lists the options of the emulator",
    namesIn("docs/testing.md", "| option of `startEmulator`", "### Outcomes"),
    [
      ...declaredIn("provider/emulator/types.ts", "EmulatorOptions"),
      ...declaredIn("provider/emulator/voice-rules.ts", "VoiceRules"),
      ...declaredIn("provider/emulator/images.ts", "ImageRules"),
    ],
  ],
])("the page about %s", (_, listed, declared) => expect(listed).toEqual(declared.sort()));

test("the page about releases lists every page that says that there is none yet", () => {
  const pages = [...markdownIn("."), ...markdownIn("docs"), ...examples.flatMap(markdownIn)];
  const saying = pages.filter((page) =>
    /(is on|is not on|not on) npm\b|not published yet|No release exists/.test(read(page)),
  );
  const [, listed = ""] = /Remove the sentences that [^:]*: in ([^]*?)\.\n/.exec(read("docs/releasing.md")) ?? [];
  const named = [...listed.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  expect(named.sort()).toEqual(saying.filter((page) => page !== "docs/releasing.md").sort());
});

function withoutCode(markdown: string): string {
  return markdown.replace(/```.*?```/gs, "").replace(/`[^`\n]*`/g, "code");
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || headings(read(file)).includes(anchor);
}

/** The anchors that GitHub makes of the headings. */
function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}
