import * as manifest from "../../provider/package.json";

/**
 * The fields of the schema about the publisher. They follow from `repository` in provider/package.json. Until its
 * publisher sets that, the schema names no address.
 */
export function registryFields(repository: string | undefined): Record<string, string> {
  if (repository === undefined) return {};
  const { owner, name } = partsOf(repository);
  const address = `https://github.com/${owner}/${name}`;
  return {
    publisher: owner,
    repository: address,
    homepage: address,
    logoUrl: `https://raw.githubusercontent.com/${owner}/${name}/main/docs/images/logo.svg`,
    // The place of a release's archives, for `pulumi plugin install`.
    pluginDownloadURL: `github://api.github.com/${owner}/${name}`,
  };
}

/** The names of the SDKs. Without a publisher they are under `local`, which leads nowhere. */
export function sdkNames(repository: string | undefined) {
  const owner = repository === undefined ? undefined : partsOf(repository).owner;
  const goModule = repository === undefined ? "pulumi-cloudvoice.local/sdk" : goModuleOf(repository);
  return {
    nodejs: "pulumi-cloudvoice",
    python: "pulumi_cloudvoice",
    goModule,
    go: `${goModule}/go/cloudvoice`,
    // The generators append the plugin's name to both.
    csharp: owner === undefined ? "Local" : pascal(owner),
    java: owner === undefined ? "local" : `io.github.${owner.toLowerCase().replaceAll("-", "_")}`,
  };
}

function goModuleOf(repository: string): string {
  const { owner, name } = partsOf(repository);
  return `github.com/${owner}/${name}/sdk`;
}

function partsOf(repository: string): { owner: string; name: string } {
  const [, owner, name] = /github(?:\.com)?[/:]([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository) ?? [];
  if (owner === undefined || name === undefined)
    throw new Error(`"repository" in provider/package.json is ${repository}; it must be a repository on github.com.`);
  return { owner, name };
}

const pascal = (text: string) => text.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase());

/** The repository that provider/package.json names. The first publisher sets it. */
export function ownRepository(): string | undefined {
  const { repository } = manifest as { repository?: string | { url: string } };
  return typeof repository === "object" ? repository.url : repository;
}
