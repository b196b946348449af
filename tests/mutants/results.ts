import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutate.ts";

/** A mutant that no test noticed, and why it may live; empty when nobody has said so. */
export type Survivor = Omit<Mutant, "text"> & { reason: string };

/**
 * What became of a source's mutants. Those in which the type checker finds an error are no programs, and are
 * counted apart; one whose tests come to no end is noticed.
 */
export type Result = {
  killed: number;
  endless: number;
  untyped: number;
  seconds: number;
  survivors: Survivor[];
};
export type Results = Record<string, Result>;

const file = join(import.meta.dir, "survivors.json");

export function readResults(): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Writes the results, for programs and for readers. */
export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(file.replace(/json$/, "md"), page(results));
}

/** The share of the mutants that were noticed, in percent. */
export function scoreOf({ killed, endless, survivors }: Result): number {
  const noticed = killed + endless;
  return (100 * noticed) / Math.max(1, noticed + survivors.length);
}

export function tableOf(results: Results): string {
  const rows = Object.entries(results).map(([source, result]) => rowOf(source, result));
  const lines = Object.values(results);
  const sum = (value: (result: Result) => number) => lines.reduce((total, one) => total + value(one), 0);
  const all: Result = {
    killed: sum(({ killed }) => killed),
    endless: sum(({ endless }) => endless),
    untyped: sum(({ untyped }) => untyped),
    seconds: sum(({ seconds }) => seconds),
    survivors: lines.flatMap(({ survivors }) => survivors),
  };
  return [
    "| source | score | noticed | of these without end | survivors | no program | seconds |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    rowOf("all", all),
  ].join("\n");
}

function rowOf(source: string, result: Result): string {
  const { killed, endless, untyped, seconds, survivors } = result;
  const numbers = [killed + endless, endless, survivors.length, untyped, Math.round(seconds)];
  return `| ${[source, `${scoreOf(result).toFixed(1)} %`, ...numbers].join(" | ")} |`;
}

function page(results: Results): string {
  const sections = Object.entries(results).map(([source, { survivors }]) => {
    const rows = survivors.map(
      ({ line, code, change, reason }) =>
        `| ${line} | ${quoted(code)} | ${quoted(change)} | ${reason || "**none**"} |`,
    );
    if (rows.length === 0) return `## ${source}\n\nNone.`;
    return [
      `## ${source}\n`,
      "| line | code | change | why it may live |",
      "|---|---|---|---|",
      ...rows,
    ].join("\n");
  });
  return `${[head, tableOf(results), ...sections].join("\n\n")}\n`;
}

const head = `# Mutants

Written by \`bun tests/mutants/run.ts\`, which puts one fault after another into the sources that guard the service
and runs their tests. Below are the faults that no test notices, each with the reason why it may live.
"No program" are mutants in which the type checker finds an error: they are not counted.`;

/** Code in a cell of a table. */
function quoted(code: string): string {
  return `\`\` ${code.replaceAll("|", "\\|")} \`\``;
}
