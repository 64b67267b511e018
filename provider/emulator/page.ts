import { createHash } from "node:crypto";

/**
 * The page at `/`. It shows the voices and the cost of the default account. It can delete a voice, as if somebody had
 * deleted it outside Pulumi.
 */

const style = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; font-size: .875rem; }
`;

// Names come from requests, so the script adds them as text and never as HTML.
const script = `
// If other machines can reach the emulator, the control routes need the key: append #<key> to the page's address.
const key = decodeURIComponent(location.hash.slice(1));
const headers = key === "" ? {} : { authorization: "Bearer " + key };
const cell = (row, text) => (row.insertCell().textContent = text);
async function show() {
  const response = await fetch("/_emulator/state", { headers });
  if (!response.ok) {
    document.getElementById("summary").textContent =
      (await response.json()).message + " For this page, append # and the key to its address, and reload it.";
    return;
  }
  const { now, voices, summary } = await response.json();
  document.getElementById("summary").textContent =
    "Billed: " + summary.voicesBilled + " voices ($" + summary.charge.toFixed(2) + "), " + summary.tasks + " image tasks, " +
    (summary.calls.decide ?? 0) + " decisions. Voices in the account: " + voices.length +
    ". The emulator's clock: " + now.slice(0, 19).replace("T", " ") + " UTC.";
  const rows = document.getElementById("voices");
  rows.replaceChildren();
  for (const { voice, targetModel, gmtCreate } of voices) {
    const row = rows.insertRow();
    for (const text of [voice, targetModel, gmtCreate]) cell(row, text);
    const button = document.createElement("button");
    button.textContent = "Delete";
    button.setAttribute("aria-label", "Delete " + voice);
    button.addEventListener("click", async () => {
      await fetch("/_emulator/voices/" + encodeURIComponent(voice), { method: "DELETE", headers });
      await show();
    });
    row.insertCell().append(button);
  }
}
show();
`;

export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Emulator</title>
<style>${style}</style>
</head>
<body>
<h1>Emulator</h1>
<p id="summary"></p>
<p>Delete removes a voice as if someone had deleted it outside Pulumi. Then <code>pulumi refresh</code> finds that it is missing.</p>
<table><thead><tr><th>Voice</th><th>Model</th><th>Created</th><th></th></tr></thead><tbody id="voices"></tbody></table>
<p>Every call: <a href="/_emulator/ledger">/_emulator/ledger</a></p>
<script>${script}</script>
</body>
</html>
`;

/**
 * Allows only this page's own style and script, and calls of the control routes. Other pages must not embed the page.
 */
export const pagePolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
