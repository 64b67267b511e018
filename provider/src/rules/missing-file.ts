import { textsOf } from "./first-of";

/** What is in the place of a file that does not exist. Paths are those from the program's folder. */
export type InPlaceOfFile =
  | { what: "similar file"; wanted: string; there: string }
  | { what: "dangling link"; target: string }
  | { what: "path of Windows" | "backslashes" }
  | AbsentInGit;

/** Why the work tree of Git lacks a file. `by`: the file and the line with the pattern. */
export type AbsentInGit =
  | { what: "left out" | "absent" }
  | { what: "in a submodule"; submodule: string }
  | { what: "ignored"; by: string; pattern: string };

/** Whether two names can be mistaken for each other, or are one name on another system. */
export function isSimilarName(one: string, other: string): boolean {
  const plain = (name: string) => name.normalize("NFC").toLowerCase();
  return plain(one) === plain(other);
}

/** Says what is in the place of a missing file, and what to write or do instead. */
export function missingFile(found?: InPlaceOfFile): string {
  switch (found?.what) {
    case undefined:
      return "there is no such file; the path is relative to the program's folder";
    case "similar file":
      return similarFile(found.wanted, found.there);
    case "dangling link":
      return `it is a symbolic link to ${found.target}, which does not exist; correct the link`;
    case "path of Windows":
      return "it is a path of a Windows drive, which this system does not have; write the path from the program's folder, with /";
    case "backslashes":
      return "\\ separates folders only on Windows; write / instead, which works on every system";
    case "left out":
      return "Git has it, but the sparse checkout leaves it out; add its folder with `git sparse-checkout add`";
    case "absent":
      return "Git has it, but this work tree lacks it; restore it with `git checkout HEAD --` and its path";
    case "in a submodule":
      return (
        `it is in the Git submodule ${found.submodule}, which is not checked out; ` +
        "run `git submodule update --init`"
      );
    case "ignored":
      return (
        `Git ignores it (${found.pattern} in ${found.by}), so a clone does not have it; ` +
        "add it with `git add --force`, or copy it there before each run"
      );
  }
}

function similarFile(wanted: string, there: string): string {
  const path = wanted.replaceAll("\\", "/");
  const isOtherForm = path.toLowerCase() !== there.toLowerCase();
  const differences = textsOf([
    path !== wanted && "the separator (\\ separates folders only on Windows)",
    path.normalize() !== there.normalize() && "upper and lower case",
    isOtherForm && "the Unicode form of its letters",
  ]);
  // Two Unicode forms look the same, so the one to write is shown as the escapes of a text in double quotes.
  const escaped = there.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const write = isOtherForm ? `write "${escaped}", or rename the file` : `write ${there}`;
  return `there is ${there}, which differs in ${differences.join(" and ")}; ${write}`;
}
