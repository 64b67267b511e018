/**
 * What the package's schema says about its publisher. All of it follows from `repository` in provider/package.json, which
 * whoever publishes the package sets. Until then the schema names no address, because there is none.
 */
export function registryFields(repository: string | undefined): Record<string, string> {
  if (repository === undefined) return {};
  const [, owner, name] = /github(?:\.com)?[/:]([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository) ?? [];
  if (owner === undefined || name === undefined)
    throw new Error(`"repository" in provider/package.json is ${repository}; it must be a repository on github.com.`);
  const address = `https://github.com/${owner}/${name}`;
  return {
    publisher: owner,
    repository: address,
    homepage: address,
    logoUrl: `https://raw.githubusercontent.com/${owner}/${name}/main/docs/images/logo.svg`,
    // Where `pulumi plugin install` finds the archives of a release.
    pluginDownloadURL: `github://api.github.com/${owner}/${name}`,
  };
}
