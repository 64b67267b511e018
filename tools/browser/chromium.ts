import { delimiter, join } from "node:path";
import { isExecutable } from "../is-executable";

/** The Chromium for the tests of HTML pages: the one that CHROMIUM names, or an installed one, if any. */
export function chromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const candidates = [
    process.env.CHROMIUM ?? "",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
  ];
  return candidates.find((file) => file !== "" && isExecutable(file));
}
