/** The size of a column and of a line in the drawing. */
const [columnWidth, lineHeight, fontSize] = [8.4, 16.5, 14];
const [padding, titleBar] = [20, 34];

/** A command and its output in the window of a terminal, as SVG: its text can be searched and scaled. */
export function terminalPicture(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split("\n")];
  const width = 2 * padding + Math.max(...lines.map(columnsOf)) * columnWidth;
  const height = titleBar + 2 * padding + lines.length * lineHeight;
  const buttons = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${padding + index * 20}" cy="${titleBar / 2 + 4}" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${number(width)} ${number(height)}" width="${number(width)}" role="img">`,
    `<title>${escaped(command)}</title>`,
    `<rect width="100%" height="100%" rx="10" fill="#1b1f27"/>`,
    ...buttons,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}">`,
    ...lines.flatMap((line, index) => textAt(line, index)),
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** `textLength` makes the borders of a table meet in every font. */
function textAt(line: string, index: number): string[] {
  const shown = line.trimEnd();
  if (shown === "") return [];
  const y = titleBar + padding + (index + 0.75) * lineHeight;
  const length = columnsOf(shown) * columnWidth;
  const color = index === 0 ? "#8bd5a0" : "#d7dce5";
  return [
    `<text x="${padding}" y="${number(y)}" textLength="${number(length)}" fill="${color}" xml:space="preserve">${escaped(shown)}</text>`,
  ];
}

function columnsOf(line: string): number {
  return Array.from(line).length;
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
