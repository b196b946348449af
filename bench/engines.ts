import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";
import { postgresWorks } from "./postgres/work.ts";
import type { Cell, Row } from "./results.ts";
import { sample } from "./sample.ts";
import { figure } from "./table.ts";

/** The part of a file of results that the table shows. */
export type BenchReport = {
  machine: Machine;
  works: Row[];
  settings?: Record<string, string>;
  flush?: { usual: number; slow: number };
};

const document = join(import.meta.dir, "../docs/performance.md");
const [begin, end] = [
  "<!-- begin of the table of both engines -->",
  "<!-- end of the table of both engines -->",
];

/** The table of both engines in Markdown: a line for each work on PostgreSQL, with the figures of SQLite. */
export function enginesTable(sqlite: BenchReport, postgres: BenchReport | undefined): string {
  const heading = ["work", "SQLite", "p99", "× Fastify", "PostgreSQL", "p99", "× Fastify"];
  const lines = postgresWorks(sample).map(({ name, title }) => {
    const [onSqlite, onPostgres] = [sqlite, postgres].map((report) => cellsOf(report, name));
    return [
      title.replace(/ \(.*\)/, ""),
      ...[rateOf(onSqlite?.accountd), p99Of(onSqlite?.accountd), ratioTo(onSqlite?.fastify)],
      ...[rateOf(onPostgres?.accountd), p99Of(onPostgres?.accountd)],
      ratioTo(onPostgres?.fastify),
    ];
  });
  const table = [heading, heading.map(() => "---"), ...lines].map((cells) => `| ${cells.join(" | ")} |`);
  return [...table, "", ...footnotes(sqlite, postgres)].join("\n");
}

/** Replaces the table in the text of docs/performance.md. Throws if the text has no place for it. */
export function withEngines(text: string, table: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from)
    throw new Error("docs/performance.md has no place for the table of both engines");
  return `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`;
}

/** The table from the files of results. */
export function currentEngines(): string {
  const sqlite = reportIn("results.json");
  if (!sqlite) throw new Error("there are no results of SQLite");
  return enginesTable(sqlite, reportIn("postgres.json"));
}

/** Writes the table into docs/performance.md. */
export function writeEngines(): void {
  writeFileSync(document, withEngines(readFileSync(document, "utf8"), currentEngines()));
}

function reportIn(name: string): BenchReport | undefined {
  const file = join(import.meta.dir, "results", name);
  // Safe: a run of the benchmark wrote it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as BenchReport) : undefined;
}

/** The valid cells of a work, by contestant. */
function cellsOf(report: BenchReport | undefined, work: string): Record<string, Cell> {
  const cells = report?.works.find(({ name }) => name === work)?.cells ?? [];
  return Object.fromEntries(
    cells.flatMap((cell) => (cell.failure === undefined ? [[cell.contestant, cell]] : [])),
  );
}

function rateOf(cell: Cell | undefined): string {
  return cell ? `${figure(cell.perSecond)}/s` : "–";
}

function p99Of(cell: Cell | undefined): string {
  return cell ? `${figure(cell.p99)} ms` : "–";
}

function ratioTo(cell: Cell | undefined): string {
  return cell?.ratio === undefined ? "–" : figure(cell.ratio);
}

function footnotes(sqlite: BenchReport, postgres: BenchReport | undefined): string[] {
  const about = ({ machine }: BenchReport) =>
    `${machine.cpu}, ${machine.cores} cores, ${machine.date.slice(0, 10)}, commit ${machine.commit}`;
  if (!postgres) return [`- SQLite: ${about(sqlite)}.`, "- PostgreSQL: not measured yet."];
  const { settings, flush } = postgres;
  const commit = (milliseconds = Number.NaN) => `${figure(milliseconds)} ms`;
  return [
    `- SQLite: ${about(sqlite)}.`,
    `- PostgreSQL ${settings?.server_version}: ${about(postgres)}.`,
    `- The shortest commit on one connection took ${commit(flush?.usual)}, with a slow flush ${commit(flush?.slow)}.`,
  ];
}

if (import.meta.main) writeEngines();
