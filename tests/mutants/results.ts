import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant, Mutation } from "./mutate.ts";
import { blobOf, root } from "./sources.ts";

/** A mutant that no test notices, and the reason why that is accepted; empty when there is none yet. */
export type Survivor = Omit<Mutant, "text"> & { reason: string };

/**
 * What became of a source's mutants. Those in which the type checker finds an error are no programs, and are
 * counted apart; one whose tests do not end is noticed.
 */
export type Result = {
  /** The first digits of the git blob id of the source that was judged: whether it changed since. */
  blob: string;
  killed: number;
  endless: number;
  untyped: number;
  survived: number;
  seconds: number;
  /** Those that survived and still exist. */
  survivors: Survivor[];
};
export type Results = Record<string, Result>;

/** A survivor is known again by its place and its change: lines move. */
export function isSame(one: Mutation, other: Mutation): boolean {
  return one.place === other.place && one.change === other.change && one.nth === other.nth;
}

const file = join(import.meta.dir, "survivors.json");

export function readResults(): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Writes the results, for programs and for readers. */
export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(file.replace(/json$/, "md"), page(results));
}

type Counts = Omit<Result, "blob" | "survivors">;

/** The share of the mutants that were noticed, in percent. */
export function scoreOf({ killed, endless, survived }: Counts): number {
  const noticed = killed + endless;
  return (100 * noticed) / Math.max(1, noticed + survived);
}

export function tableOf(results: Results): string {
  const rows = Object.entries(results).map(([source, result]) =>
    rowOf(source, [result.blob, hasChanged(source, result) ? "yes" : "no"], result),
  );
  const lines = Object.values(results);
  const sum = (value: (result: Result) => number) => lines.reduce((total, one) => total + value(one), 0);
  const all: Counts = {
    killed: sum(({ killed }) => killed),
    endless: sum(({ endless }) => endless),
    untyped: sum(({ untyped }) => untyped),
    survived: sum(({ survived }) => survived),
    seconds: sum(({ seconds }) => seconds),
  };
  return [
    "| source | blob | changed since | score | noticed | of these without end | survived | no program | seconds |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
    rowOf("all", ["", ""], all),
  ].join("\n");
}

function rowOf(source: string, judged: string[], counts: Counts): string {
  const { killed, endless, untyped, survived, seconds } = counts;
  const numbers = [killed + endless, endless, survived, untyped, Math.round(seconds)];
  return `| ${[source, ...judged, `${scoreOf(counts).toFixed(1)} %`, ...numbers].join(" | ")} |`;
}

function hasChanged(source: string, { blob }: Result): boolean {
  return blobOf(readFileSync(join(root, source), "utf8")) !== blob;
}

function page(results: Results): string {
  const sections = Object.entries(results).map(([source, { survivors }]) => {
    const rows = survivors.map(
      ({ place, change, nth, code, reason }) =>
        `| ${place}${nth > 1 ? ` (${nth})` : ""} | ${quoted(change)} | ${quoted(code)} | ${reason || "**none**"} |`,
    );
    if (rows.length === 0) return `## ${source}\n\nNone.`;
    return [
      `## ${source}\n`,
      "| place | change | line | why it is accepted |",
      "|---|---|---|---|",
      ...rows,
    ].join("\n");
  });
  return `${[head, tableOf(results), ...sections].join("\n\n")}\n`;
}

const head = `# Mutants

Written by \`bun run test:mutants\`, which puts one fault after another into the sources that guard the service and runs
their tests. The blob is git's id of the source that was judged (\`git hash-object FILE\`). A source marked as changed
since then has to be judged again; its counts are of the judged text, some of them of version 0.3.0, and survivors whose
code is gone were dropped from the lists.

Below are the faults that no test notices, each with the reason why that is accepted. A place is a function or a
declaration; (2) means the second such change in it. "No program" are mutants in which the type checker finds an error.
They are not counted.`;

/** Code in a cell of a table. */
function quoted(code: string): string {
  return `\`\` ${code.replaceAll("|", "\\|")} \`\``;
}
