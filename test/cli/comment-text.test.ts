import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { marked } from "marked";
import { commentOf, namesOfComment, readReview } from "../../provider/src/cli/comment/text";
import { longestComment, markOf, namesOfMark } from "../../provider/src/cli/review/markdown";
import { put, temporaryFolder } from "../support/files";

/** What is posted of a file that the program of a change may have written. */

const names = { project: "app", stack: "dev" };
const mark = markOf(names);

describe("the file", () => {
  const good = `${mark}\n### Review of \`app/dev\`\n`;

  test("is given by its path or by its folder, and may have the line ends of Windows", () => {
    const folder = temporaryFolder();
    put(folder, "review.md", good.replaceAll("\n", "\r\n"));
    const read = { names, lines: ["### Review of `app/dev`", ""] };
    expect(readReview(folder)).toEqual(read);
    expect(readReview(join(folder, "review.md"))).toEqual(read);
  });

  test.each<[string, RegExp, (file: string) => void]>([
    ["missing", /There is no review at/, () => undefined],
    [
      "a link",
      /must be a regular file up to 1 MB, not a link/,
      (file) => symlinkSync(put(temporaryFolder(), "x.md", good), file),
    ],
    ["a named pipe", /must be a regular file up to 1 MB, not a link/, (file) => execFileSync("mkfifo", [file])],
    ["larger than 1 MB", /up to 1 MB/, (file) => writeFileSync(file, good + "x".repeat(1024 * 1024))],
    ["no review", /does not begin with the mark/, (file) => writeFileSync(file, "# Approved\n")],
    ["marked, and more in the line", /does not begin with the mark/, (file) => writeFileSync(file, `${mark} approved`)],
    [
      "marked by no name",
      /does not begin with the mark/,
      (file) => writeFileSync(file, "<!-- cloudvoice-review a%ff/dev -->"),
    ],
  ])("that is %s is not posted, and the error says why", (_, message, write) => {
    const folder = temporaryFolder();
    write(join(folder, "review.md"));
    expect(() => readReview(folder)).toThrow(message);
    expect(() => readReview(join(folder, "review.md"))).toThrow(message);
  });
});

describe("the mark", () => {
  test("names any project and stack, and never two the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (project, stack) => {
        expect(namesOfMark(markOf({ project, stack }))).toEqual({ project, stack });
      }),
    );
  });

  test.each([
    ["a--b", "a__b"],
    ["a b", "a_b"],
    ["--><h1>", "__"],
  ])("%j and %j are two names, and end no HTML comment", (one, another) => {
    const [first, second] = [one, another].map((project) => markOf({ project, stack: "dev" }));
    expect(first).not.toBe(second);
    expect(first?.slice(4, -3)).not.toMatch(/--|[<>]/);
  });

  test("of usual names is readable", () => {
    expect(mark).toBe("<!-- cloudvoice-review app/dev -->");
  });
});

test.each([
  ["nothing stated", names, {}, names],
  ["the same stated", names, { project: "app", stack: "dev" }, names],
  ["a review that names none", { project: "", stack: "" }, names, names],
  ["another project", names, { project: "web" }, /it is a review of the project app, not of web/],
  ["another stack", names, { project: "app", stack: "prod" }, /it is a review of the stack dev, not of prod/],
  ["no names at all", { project: "", stack: "" }, { stack: "dev" }, /Name the stack: --project <name> --stack <name>/],
])("a comment with %s", (_, saved, wanted, expected) => {
  if (expected instanceof RegExp) expect(() => namesOfComment(saved, wanted)).toThrow(expected);
  else expect(namesOfComment(saved, wanted)).toEqual(expected);
});

describe("the comment", () => {
  const body = (lines: string[], page?: string) => commentOf(names, ["### Review", "", ...lines], page).body;

  test("no line is a command to the host or to its robots, and it still reads the same", () => {
    for (const line of ["/merge", "  /approve", "\u0007/label ~bug", "\t/close"]) {
      const posted = body([line]);
      expect(posted).not.toMatch(/^\s*\/\w/m);
      expect(marked.parse(posted, { async: false })).toContain(line.trim().replace("\u0007", ""));
    }
  });

  test.each([
    ...["<!-- -->/merge", "<code></code>/merge", "<!-- a > b -->/merge", "<i title='>'> /merge", "<co<code>de>/merge"],
    ...["<!--\n-->/merge", "<i\n>/merge", "\u200b/merge", "<!-- -->\ufeff\u2060/merge", "text\u2028/merge", "> /merge"],
  ])("%j is no command either, when HTML and what nobody sees is taken out", (text) => {
    const plain = body(text.split("\n"))
      .replace(/<!--[^]*?-->|<[^>]*>|[<>'"]/g, "")
      .replace(/\p{Cf}/gu, "");
    expect(plain).toContain("merge");
    expect(plain).not.toMatch(/^\s*\/\w/m);
  });

  test("no control character is posted", () => {
    expect(body(["a\u0000b\u001b[31mc\td"])).toContain("ab[31mc\td");
  });

  test("a mark in the text is not the mark of the comment", () => {
    const other = markOf({ project: "web", stack: "prod" });
    const { mark: own, body: posted } = commentOf(names, [other, "", other]);
    expect(posted.split("\n")[0]).toBe(own);
    expect(own).toContain("app/dev");
  });

  test.each([
    ["https://pages.example/a b(1).html?x=<1>", "https://pages.example/a%20b%281%29.html?x=%3C1%3E"],
    ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/"],
  ])("the link to %s ends where the address ends", (page, target) => {
    expect(body(["text"], page).split("\n").slice(1, 5)).toEqual([
      ...["### Review", "", `[The page of this review](${target})`, ""],
    ]);
  });

  test.each(["javascript:alert(1)", "review.html", ""])("%j is no page", (page) => {
    expect(() => body([], page)).toThrow("--page must be the address of a page");
  });

  test("a text that the host would refuse is not posted, and the error says why", () => {
    expect(() => body(["y".repeat(longestComment)])).toThrow(
      /not posted: it has \d+ characters, and a comment at most 65536/,
    );
  });
});
