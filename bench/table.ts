import { type Row, type SingleRow, singles } from "./results.ts";

const columns = [33, 16];
const widths = [12, 9, 9, 9];
const heading = line("", "", ["per second", "p50 ms", "p99 ms", "accountd"]);

/** The table of results: each work with a line for each contestant, and the ratio of accountd's rate to its rate. */
export function tableOf(rows: Row[], singleRows: SingleRow[]): string {
  const lines = [heading, "─".repeat(heading.length)];
  for (const row of rows) lines.push(...linesOf(row));
  for (const row of singleRows) lines.push(...linesOfSingle(row));
  return lines.join("\n");
}

function linesOf({ title, cells }: Row): string[] {
  return cells.map(({ contestant, perSecond, p50, p99, ratio, failure }, i) => {
    const start = i === 0 ? title : "";
    if (failure !== undefined)
      return `${line(start, contestant, [])}– ${failure.replaceAll(/\s+/g, " ").slice(0, 90)}`;
    const figures = [perSecond, p50, p99].map(figure);
    return line(start, contestant, [...figures, ...(ratio === undefined ? [] : [`${figure(ratio)}×`])]);
  });
}

function linesOfSingle({ name, values }: SingleRow): string[] {
  const { title, unit } = singles[name];
  return Object.entries(values).map(([contestant, value], i) =>
    line(i === 0 ? title : "", contestant, [`${figure(value)} ${unit}`]),
  );
}

/** Formats a number with its significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function line(work: string, contestant: string, figures: string[]): string {
  const [first = 0, second = 0] = columns;
  const cells = figures.map((text, i) => text.padStart(widths[i] ?? 0));
  return work.padEnd(first) + contestant.padEnd(second) + cells.join("");
}
