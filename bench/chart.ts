import type { Row } from "./results.ts";
import { figure } from "./table.ts";

/** Colours that differ on light and dark backgrounds, also with red-green colour blindness. */
const colours = ["#2f6fed", "#8a8f98", "#d9722b", "#efaf7c", "#8e5bb5", "#2a9d8f", "#a3203a"];
const [width, left, right, head] = [1000, 230, 170, 76];
const [bar, gap, between] = [13, 2, 16];

const style = `
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
  .title { font-size: 18px; font-weight: 600; }
  .soft { fill: #59636e; font-size: 12px; }
  .figure { font-size: 11px; }
  .ground { fill: #ffffff; }
  line { stroke: #d1d9e0; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .soft { fill: #9198a1; }
    .ground { fill: #0d1117; }
    line { stroke: #3d444d; }
  }`;

/** Requests per second of each work, a bar for each contestant, on a logarithmic scale. */
export function chartOf(rows: Row[], contestants: { name: string; label: string }[], about: string): string {
  const shown = rows
    .map((row) => ({ ...row, cells: row.cells.filter((cell) => cell.perSecond > 0 && !cell.failure) }))
    .filter(({ cells }) => cells.length > 0);
  const speeds = shown.flatMap(({ cells }) => cells.map(({ perSecond }) => perSecond));
  const [least, most] = [
    Math.floor(Math.log10(Math.min(...speeds))),
    Math.ceil(Math.log10(Math.max(...speeds))),
  ];
  const xOf = (speed: number) =>
    left + ((Math.log10(speed) - least) / Math.max(1, most - least)) * (width - left - right);
  const colourOf = new Map(contestants.map(({ name }, i) => [name, colours[i % colours.length] ?? "#888"]));
  const parts: string[] = [];
  const top = head + Math.ceil(contestants.length / 2) * 20;
  let y = top;
  for (const { title, cells } of shown) {
    const height = cells.length * (bar + gap);
    parts.push(text(left - 10, y + height / 2 + 3, title, `text-anchor="end"`));
    for (const { contestant, perSecond, ratio } of cells) {
      const end = xOf(perSecond);
      parts.push(
        `<rect x="${left}" y="${y}" width="${fixed(Math.max(1, end - left))}" height="${bar}" rx="2" fill="${colourOf.get(contestant)}"/>`,
      );
      const label = `${figure(perSecond)}${ratio === undefined ? "" : `  (accountd ${figure(ratio)}×)`}`;
      parts.push(text(end + 5, y + bar - 3, label, `class="figure"`));
      y += bar + gap;
    }
    y += between;
  }
  const height = y + 34;
  const scale = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i)).flatMap((speed) => [
    `<line x1="${fixed(xOf(speed))}" x2="${fixed(xOf(speed))}" y1="${top - 8}" y2="${y - between + 6}"/>`,
    text(xOf(speed), y + 6, speed.toLocaleString("en"), `class="soft" text-anchor="middle"`),
  ]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="Requests a second by work and contestant">
<style>${style}
</style>
<rect class="ground" width="${width}" height="${height}"/>
${text(20, 32, "Requests a second", `class="title"`)}
${text(20, 52, `Longer is better; a step of the scale is ten times. ${about}`, `class="soft"`)}
${legend(contestants, colourOf)}
${scale.join("\n")}
${parts.join("\n")}
${text(left, height - 8, "events: each counted, sent by the hundred", `class="soft"`)}
</svg>
`;
}

function legend(contestants: { name: string; label: string }[], colourOf: Map<string, string>): string {
  return contestants
    .map(({ name, label }, i) => {
      const [x, y] = [20 + (i % 2) * 480, 66 + Math.floor(i / 2) * 20];
      const mark = `<rect x="${x}" y="${y}" width="12" height="12" rx="2" fill="${colourOf.get(name)}"/>`;
      return mark + text(x + 18, y + 10, name === label ? name : `${name}: ${label}`, `class="soft"`);
    })
    .join("\n");
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${fixed(x)}" y="${fixed(y)}" ${attributes}>${escaped}</text>`;
}

function fixed(number: number): string {
  return String(Math.round(number * 10) / 10);
}
