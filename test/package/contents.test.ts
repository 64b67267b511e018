import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, temporaryFolder } from "../support/files";

const manifest = JSON.parse(readFileSync(join(root, "provider", "package.json"), "utf8")) as {
  bin: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
};
const installed = Object.keys(manifest.dependencies);
/** The build bundles every package that is imported and not installed. */
const bundled = Object.keys(manifest.devDependencies);
/** The user installs these for what needs them. */
const optional = Object.keys(manifest.peerDependenciesMeta);

test("the table of dependencies gives a reason for every dependency, and states whether it is installed, bundled or optional", () => {
  const table = readFileSync(join(root, "docs", "contributing", "dependencies.md"), "utf8");
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (\w+) \| .{10,} \|$/gm)].map(([, name, how]) => `${name} ${how}`);
  expect(rows.sort()).toEqual(
    [
      ...installed.map((name) => `${name} installed`),
      ...bundled.map((name) => `${name} bundled`),
      ...optional.map((name) => `${name} optional`),
    ].sort(),
  );
});

test("the package does not tell the engine of its plugin: a project of the classes would have to download it", () => {
  expect(manifest).not.toHaveProperty("pulumi");
  expect(manifest.bin).toMatchObject({ "pulumi-resource-cloudvoice": "./plugin/pulumi-resource-cloudvoice" });
});

test("the package contains the licence of every bundled package", () => {
  const licenses = readFileSync(join(root, "provider", "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
  const named = [...licenses.matchAll(/^=+\n(\S+) \S+\nLicense: .+\nSource: \S+\n\n\S/gm)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining(bundled));
  // A package that is only a dependency of a bundled one, and one that only the action bundles.
  expect(named).toEqual(expect.arrayContaining(["body-parser", "@actions/exec"]));
});

test("the package contains its pages, pipelines and action, and its security policy, whose statements name tests that exist", () => {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "-w", "pulumi-cloudvoice"], {
    cwd: root,
    encoding: "utf8",
  });
  const [{ files = [] } = {}] = JSON.parse(packed) as { files?: { path: string }[] }[];
  const paths = files.map(({ path }) => path);
  const pipelines = [
    "docs/pipelines/github-test.yml",
    "templates/pipelines/github.yml",
    "templates/pipelines/gitlab.yml",
  ];
  const action = ["action.yml", "comment/action.yml", "run/action.yml", "run/index.js"].map(
    (name) => `dist/action/${name}`,
  );
  expect(paths).toEqual(expect.arrayContaining(["SECURITY.md", "docs/cli.md", ...pipelines, ...action]));
  const linked = [...readFileSync(join(root, "provider", "README.md"), "utf8").matchAll(/\]\((docs\/[^)#]+)/g)];
  expect(paths).toEqual(expect.arrayContaining(linked.map(([, path]) => path)));
  const policy = readFileSync(join(root, "provider", "SECURITY.md"), "utf8");
  expect(policy).toBe(readFileSync(join(root, "SECURITY.md"), "utf8"));
  for (const [, test = ""] of policy.matchAll(/`(test\/[^`]+)`/g))
    expect([test, existsSync(join(root, test))]).toEqual([test, true]);
});

test.each(["", "/native"])("importing pulumi-cloudvoice%s opens nothing and loads nothing heavy", (entry) => {
  // A process of its own, because this one has loaded everything already.
  const script = `
    require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    require("pulumi-cloudvoice${entry}");
    console.log(Object.keys(require.cache).filter((file) => !before.has(file)).join("\\n"));`;
  const loaded = execFileSync(process.execPath, ["-e", script], { cwd: root, encoding: "utf8" });
  const files = loaded.trim().split("\n");
  const own = `dist/${entry === "" ? "index" : "native"}.js`;
  expect(files.map((file) => file.replace(/.*node_modules.|.*provider./, ""))).toEqual([own]);
});

test("without the client of S3 a preview names the command that installs it, and the program's own client is found", () => {
  // As a strict package manager lays it out: the package sees its own dependencies, and the program sees its own.
  const folder = temporaryFolder();
  const link = (name: string, modules: string) => {
    mkdirSync(dirname(join(folder, modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(folder, modules, name));
  };
  for (const name of [...installed, "@pulumi/pulumi"]) link(name, "store/node_modules");
  for (const part of ["dist", "package.json"])
    cpSync(join(root, "provider", part), join(folder, "store/node_modules/pulumi-cloudvoice", part), {
      recursive: true,
    });
  mkdirSync(join(folder, "program"));
  const script = `
    const { generatedImage } = require("../store/node_modules/pulumi-cloudvoice/dist/provider.js");
    generatedImage.configure({ config: { get: () => undefined } });
    const news = { model: "svc-image", prompt: "a", saveTo: "s3://pictures/a", label: "cover-863a863a863a863a", __provider: "" };
    generatedImage.check({}, news).then(({ failures }) => console.log(JSON.stringify(failures)));`;
  const check = () =>
    execFileSync(process.execPath, ["-e", script.replace("../store", join(folder, "store"))], {
      cwd: join(folder, "program"),
      env: { ...process.env, CLOUDVOICE_BASE_URL: "https://service.example", CLOUDVOICE_API_KEY: "none" },
      encoding: "utf8",
    }).trim();
  expect(JSON.parse(check())).toEqual([
    {
      property: "",
      reason: expect.stringMatching(/^saveTo needs the package @aws-sdk\/client-s3.*npm install @aws-sdk/) as string,
    },
  ]);
  link("@aws-sdk/client-s3", "program/node_modules");
  // The client is there: it asks for what it needs.
  expect(check()).toMatch(/^\[\{"property":"","reason":"saving the picture to saveTo failed: /);
});
