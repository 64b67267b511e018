/** What a hostile service puts into each of its texts: control characters, markup, mentions and links. */
export const hostileText =
  "\u001b[2J\u001b]0;title\u0007\u202e\u0000<img src=x onerror=alert(1)> @team [here](https://evil.example/) `|*_www.evil.example\r\n";

const million = "x".repeat(1_000_000);

/** The text, as it is in a hostile dialect. */
export function hostileForm(text: string, mode: false | "short" | "long"): string {
  if (mode === false) return text;
  return text + hostileText + (mode === "long" ? million : "");
}
