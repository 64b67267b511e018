import { marked } from "marked";

/** A page that shows Markdown as the comment of a pull request. */
export function commentPage(markdown: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; padding: 16px; background: #fff; color: #1f2328; font: 14px/1.5 system-ui, sans-serif; }
  .comment { width: 880px; border: 1px solid #d1d9e0; border-radius: 6px; }
  header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; border-radius: 6px 6px 0 0; }
  main { padding: 4px 16px 12px; }
  h3 { font-size: 1.25em; margin: 12px 0; }
  table { border-collapse: collapse; margin: 12px 0; }
  th, td { border: 1px solid #d1d9e0; padding: 6px 13px; text-align: left; vertical-align: top; }
  tr:nth-child(even) td { background: #f6f8fa; }
  code { background: #eff1f3; border-radius: 6px; padding: .2em .4em; font: 85% ui-monospace, monospace; }
  blockquote { margin: 0 0 16px; padding: 0 1em; border-left: .25em solid #d1d9e0; color: #59636e; }
  details { margin: 8px 0; }
</style>
<div class="comment">
<header><strong>pipeline</strong> commented</header>
<main>${marked.parse(markdown, { async: false, gfm: true })}</main>
</div>
`;
}
