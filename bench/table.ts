import { type Cell, type Row, type SingleRow, singles, type Verdict } from "./results.ts";

const columns = { work: 33, contestant: 16, perSecond: 12, p50: 9, p99: 9, ratio: 9 };
const heading = line("", "", "per second", "p50 ms", "p99 ms", "accountd", "required");

/** The table of results: each work with a line for each contestant, and the requirements of accountd. */
export function tableOf(rows: Row[], growth: Row[], singleRows: SingleRow[]): string {
  const lines = [heading, "─".repeat(heading.length + 14)];
  for (const row of rows) lines.push(...linesOf(row));
  for (const row of singleRows) lines.push(...linesOfSingle(row));
  const grown = growthLines(growth);
  if (grown.length > 0) lines.push("", ...grown);
  return lines.join("\n");
}

function linesOf({ title, cells, verdicts }: Row): string[] {
  return cells.map((cell, i) => {
    const own = verdicts.filter(({ of = "accountd" }) => of === cell.contestant);
    const start = i === 0 ? title : "";
    const required = own.map(verdictText).join(", ");
    if (cell.failure !== undefined) {
      const why = cell.failure.replaceAll(/\s+/g, " ").slice(0, 90);
      return line(start, cell.contestant, `– ${why}`, "", "", "", required);
    }
    const ratio = cell.ratio === undefined ? "" : `${figure(cell.ratio)}×`;
    const times = [cell.p50, cell.p99].map(figure);
    return line(start, cell.contestant, figure(cell.perSecond), ...times, ratio, required);
  });
}

function linesOfSingle({ name, values, verdicts }: SingleRow): string[] {
  const { title, unit } = singles[name];
  return Object.entries(values).map(([contestant, value], i) =>
    line(
      i === 0 ? title : "",
      contestant,
      `${figure(value)} ${unit}`,
      "",
      "",
      "",
      contestant === "accountd" ? verdicts.map(verdictText).join(", ") : "",
    ),
  );
}

/** The cost of reads in larger organizations: a line for each read of a contestant, a column for each size. */
function growthLines(rows: Row[]): string[] {
  if (rows.length === 0) return [];
  const sizeOf = (row: Row) => Number(row.name.split("@")[1]);
  const sizes = [...new Set(rows.map(sizeOf))].toSorted((one, other) => one - other);
  const head = sizes.map((size) => size.toLocaleString("en").padStart(18)).join("");
  const lines = [`${"per second, and cost, by accounts".padEnd(columns.work + columns.contestant)}${head}`];
  for (const title of new Set(rows.map((row) => row.title))) {
    const own = rows.filter((row) => row.title === title);
    const names = [...new Set(own.flatMap(({ cells }) => cells.map(({ contestant }) => contestant)))];
    for (const [i, contestant] of names.entries()) {
      const cellAt = (size: number) =>
        own.find((row) => sizeOf(row) === size)?.cells.find((cell) => cell.contestant === contestant);
      const first = sizes.map(cellAt).find((cell) => cell && cell.failure === undefined);
      const shown = sizes.map((size) => costOf(cellAt(size), first).padStart(18)).join("");
      const judged = i === 0 ? own.flatMap(({ verdicts }) => verdicts.map(verdictText)).join(", ") : "";
      const start = `${(i === 0 ? title : "").padEnd(columns.work)}${contestant.padEnd(columns.contestant)}`;
      lines.push(`${start}${shown}   ${judged}`.trimEnd());
    }
  }
  return lines;
}

function costOf(cell: Cell | undefined, first: Cell | undefined): string {
  if (!cell) return "";
  if (cell.failure !== undefined || !first) return "failed";
  return `${figure(cell.perSecond)} ${`(${figure(first.perSecond / cell.perSecond)}×)`.padStart(8)}`;
}

function verdictText({ text, value, isMet }: Verdict): string {
  // The other values are in a column of the table.
  const hasColumn = !/^(?:cost|p99\.9)/.test(text);
  const unit = text.startsWith("cost") ? "×" : " ms";
  const measured = value === undefined || hasColumn ? "" : ` (${figure(value)}${unit})`;
  return `${text}${measured} ${isMet ? "✓" : "✗ missed"}`;
}

/** Formats a number with its significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

function line(work: string, contestant: string, perSecond: string, ...rest: string[]): string {
  const [p50 = "", p99 = "", ratio = "", required = ""] = rest;
  const start = work.padEnd(columns.work) + contestant.padEnd(columns.contestant);
  if (perSecond.startsWith("–")) return `${start}${perSecond}   ${required}`.trimEnd();
  const figures = [
    perSecond.padStart(columns.perSecond),
    p50.padStart(columns.p50),
    p99.padStart(columns.p99),
    ratio.padStart(columns.ratio),
  ];
  return `${start}${figures.join("")}   ${required}`.trimEnd();
}
