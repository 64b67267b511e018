import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dependencies, version } from "../../provider/package.json";
import { root } from "../local";

interface LockedPackage {
  version?: string;
  integrity?: string;
  license?: string;
  dependencies?: Record<string, string>;
}

/** The parts of the package in CycloneDX: the packages that are installed with it, and those whose code it contains. */
export function softwareBillOfMaterials() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const locked = (name: string, at?: string) =>
    [`provider/node_modules/${name}`, `node_modules/${name}`]
      .concat(Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`)))
      .map((path) => packages[path])
      .find((found) => found !== undefined && (at === undefined || found.version === at)) ?? {};
  const installed = new Set<string>();
  const addInstalled = (name: string) => {
    if (installed.has(name)) return;
    installed.add(name);
    Object.keys(locked(name).dependencies ?? {}).forEach(addInstalled);
  };
  Object.keys(dependencies).forEach(addInstalled);
  const licenses = readFileSync(join(root, "provider", "dist", "THIRD-PARTY-LICENSES.txt"), "utf8");
  const bundled = [...licenses.matchAll(/^=+\n(\S+) (\S+)\nLicense: /gm)].map(([, name = "", at = ""]) => ({
    name,
    at,
  }));
  const parts = [
    ...[...installed].map((name) => component(name, locked(name), "installed")),
    ...bundled.map(({ name, at }) => component(name, { version: at, ...locked(name, at) }, "bundled")),
  ];
  const self = reference("pulumi-cloudvoice", version);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "library", "bom-ref": self, name: "pulumi-cloudvoice", version, purl: self },
    },
    components: parts,
    dependencies: [{ ref: self, dependsOn: parts.map((part) => part["bom-ref"]) }],
  };
}

function component(
  name: string,
  { version: at = "", integrity, license }: LockedPackage,
  how: "installed" | "bundled",
) {
  const purl = reference(name, at);
  return {
    type: "library",
    // An entry point may bundle a package that is installed too.
    "bom-ref": `${purl}#${how}`,
    name,
    version: at,
    purl,
    scope: "required",
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(integrity !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") }],
    }),
    properties: [{ name: "pulumi-cloudvoice:included", value: how }],
  };
}

function reference(name: string, at: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${at}`;
}
