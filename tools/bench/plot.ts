export interface Line {
  name: string;
  points: [x: number, y: number][];
}

const width = 720;
const height = 420;
const margin = { left: 64, right: 110, top: 20, bottom: 48 };
const colours = ["#0b6e99", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#475569"];

/** A plot with a logarithmic scale on both axes, as SVG: what grows in proportion is a straight line of one slope. */
export function plotOf(lines: Line[], axes: { x: string; y: string }): string {
  const points = lines.flatMap((line) => line.points);
  const x = scaleOf(
    points.map(([value]) => value),
    margin.left,
    width - margin.right,
  );
  const y = scaleOf(
    points.map(([, value]) => value),
    height - margin.bottom,
    margin.top,
  );
  const drawn = lines.map(({ name, points: own }, index) => {
    const colour = colours[index % colours.length] ?? "black";
    const path = own.map(([a, b]) => `${x.at(a)},${y.at(b)}`).join(" ");
    const dots = own.map(
      ([a, b]) =>
        `<circle cx="${x.at(a)}" cy="${y.at(b)}" r="3"><title>${name}, ${a} voices: ${b.toFixed(1)} s</title></circle>`,
    );
    const [endX = 0, endY = 0] = own.at(-1) ?? [];
    const label = `<text x="${x.at(endX) + 8}" y="${y.at(endY) + 4}" stroke="none">${name}</text>`;
    return `<g stroke="${colour}" fill="${colour}"><polyline fill="none" stroke-width="2" points="${path}"/>${dots.join("")}${label}</g>`;
  });
  const grid = [
    ...x.ticks.map((tick) => `<path d="M${x.at(tick)} ${margin.top}V${height - margin.bottom}"/>`),
    ...y.ticks.map((tick) => `<path d="M${margin.left} ${y.at(tick)}H${width - margin.right}"/>`),
  ];
  const numbers = [
    ...x.ticks.map(
      (tick) => `<text x="${x.at(tick)}" y="${height - margin.bottom + 18}" text-anchor="middle">${tick}</text>`,
    ),
    ...y.ticks.map((tick) => `<text x="${margin.left - 8}" y="${y.at(tick) + 4}" text-anchor="end">${tick}</text>`),
    `<text x="${(margin.left + width - margin.right) / 2}" y="${height - 8}" text-anchor="middle">${axes.x}</text>`,
    `<text x="14" y="${height / 2}" text-anchor="middle" transform="rotate(-90 14 ${height / 2})">${axes.y}</text>`,
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<g stroke="#e2e8f0">${grid.join("")}</g>`,
    `<g fill="#334155">${numbers.join("")}</g>`,
    ...drawn,
    "</svg>",
    "",
  ].join("\n");
}

/** A logarithmic scale between two positions, with ticks at 1, 3, 10, 30 … */
function scaleOf(values: number[], from: number, to: number) {
  const ticks: number[] = [];
  for (let power = 0.1; power <= 1e6; power *= 10)
    for (const tick of [power, 3 * power]) ticks.push(Number(tick.toPrecision(1)));
  const lowest = Math.max(...ticks.filter((tick) => tick <= Math.min(...values)));
  const highest = Math.min(...ticks.filter((tick) => tick >= Math.max(...values)));
  const span = Math.log(highest / lowest);
  return {
    ticks: ticks.filter((tick) => tick >= lowest && tick <= highest),
    at: (value: number) => Math.round(from + ((to - from) * Math.log(value / lowest)) / span),
  };
}
