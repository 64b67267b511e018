import { delimiter, isAbsolute } from "node:path";

/**
 * The PATH without what a project brings along. `npm run` puts `node_modules/.bin` first, and Yarn a folder of its own,
 * so any dependency could stand in for `pulumi` or `git`. A relative or empty entry is a folder of the project, too.
 */
export function systemPath({ PATH = "", BERRY_BIN_FOLDER }: NodeJS.ProcessEnv = process.env): string {
  const isOfProject = (entry: string) =>
    !isAbsolute(entry) || /(^|[\\/])node_modules[\\/]+\.bin[\\/]*$/i.test(entry) || entry === BERRY_BIN_FOLDER;
  return PATH.split(delimiter)
    .filter((entry) => !isOfProject(entry))
    .join(delimiter);
}
