import { build, type Plugin } from "esbuild";
import { root } from "../local";

/** The action for GitHub in one file, as a runner loads it. Not minified, so that people can read it. */
export async function actionBundle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["actions/src/main.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    legalComments: "inline",
    plugins: [withoutHttp],
    write: false,
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild made no file of actions/src/main.ts.");
  return file.text;
}

/** Leaves out the toolkit's client for OpenID Connect tokens: two thirds of the text, and not used here. */
const withoutHttp: Plugin = {
  name: "without @actions/http-client",
  setup(builder) {
    builder.onResolve({ filter: /^@actions\/http-client/ }, () => ({
      path: "@actions/http-client",
      namespace: "empty",
    }));
    builder.onLoad({ filter: /.*/, namespace: "empty" }, () => ({ contents: "module.exports = {};" }));
  },
};
