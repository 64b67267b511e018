import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageOptions } from "../../provider/src/cli/review/page/recordings";
import type { Review } from "../../provider/src/cli/review/review";
import { root } from "./files";

interface PageModule {
  pageOf: (review: Review, options: PageOptions) => Promise<{ html: string }>;
}

const folder = join(root, "provider", "src", "cli", "review", "page");

/** The page of a review. The build imports its template, styles and script as texts, and Jest does not. */
export async function htmlOf(review: Review): Promise<string> {
  for (const name of ["base.css", "changes.css", "media.css", "page.browser.js", "page.html"])
    jest.doMock(join(folder, name), () => ({ __esModule: true, default: readFileSync(join(folder, name), "utf8") }));
  const { pageOf } = (await import(join(folder, "page"))) as PageModule;
  const folders = { pageFolder: ".", programFolder: ".", projectFolder: "." };
  return (await pageOf(review, { ...folders, embedBytes: 0, isPublished: true })).html;
}
