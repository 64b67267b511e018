import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { readReview } from "../../actions/src/files";
import { put, temporaryFolder } from "../support/files";

test("a review that is a link, or too large for a summary, is none", () => {
  const folder = temporaryFolder();
  const file = put(folder, "review.md", "### Review");
  expect(readReview(file)).toBe("### Review");
  symlinkSync(file, join(folder, "link.md"));
  for (const none of [
    join(folder, "link.md"),
    join(folder, "missing.md"),
    put(folder, "large.md", "x".repeat(1024 * 1024 + 1)),
  ])
    expect(readReview(none)).toBeUndefined();
});
