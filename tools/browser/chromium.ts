import { delimiter, join } from "node:path";
import { runnable } from "../runnable";

/** The Chromium of this machine, for the tests of pages: named in CHROMIUM, or installed. */
export function chromium(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const places = [
    process.env.CHROMIUM ?? "",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
  ];
  return places.find((place) => place !== "" && runnable(place));
}
