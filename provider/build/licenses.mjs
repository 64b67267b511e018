import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Writes the licences of all packages whose code esbuild bundled. Their terms require a copy beside the code. */
export function writeLicenses(metafile, file) {
  const folders = new Set(
    Object.values(metafile.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([path, { bytesInOutput }]) => path.includes("node_modules/") && bytesInOutput > 0)
      .map(([path]) => packageFolder(path)),
  );
  const texts = [...folders].map(licenseOf).sort();
  writeFileSync(file, `This package contains code of these packages.\n\n${texts.join("\n")}`);
}

/** The folder of the package's own package.json. Packages may have others, without a name, in their subfolders. */
function packageFolder(path) {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)[0];
}

function licenseOf(folder) {
  const { name, version, license, homepage, repository } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const source = repository?.url ?? repository ?? homepage;
  const heading = [`${name} ${version}`, `License: ${license}`, `Source: ${addressOf(source)}`];
  const files = readdirSync(folder).filter((entry) => /^licen[cs]e/i.test(entry));
  if (license === undefined || files.length === 0)
    throw new Error(
      `${name} cannot be bundled: ${folder} has no licence. Use another package, or make it a dependency.`,
    );
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
  return `${"=".repeat(80)}\n${heading.join("\n")}\n\n${texts.join("\n\n")}\n`;
}

/** The MPL requires it. package.json may shorten an address on GitHub to `owner/name`. */
function addressOf(source) {
  const [, short] = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(source) ?? [];
  return short === undefined ? source : `https://github.com/${short}`;
}
