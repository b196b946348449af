import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant, Mutation } from "./mutate.ts";
import { blobOf, root } from "./sources.ts";

/** A mutant that no test detects, and the reason why that is accepted, or an empty string. */
export type Survivor = Omit<Mutant, "text"> & { reason: string };

/**
 * The numbers of a source's mutants by outcome. Mutants with type errors are not programs, and are counted separately.
 * A mutant whose tests exceed the time limit counts as detected.
 */
export type Result = {
  /** The first digits of the git blob id of the tested source, which show whether it has changed since. */
  blob: string;
  killed: number;
  endless: number;
  untyped: number;
  survived: number;
  seconds: number;
  /** The mutants that survived and still exist. */
  survivors: Survivor[];
};
export type Results = Record<string, Result>;

/** Survivors are identified by place and change, because line numbers change. */
export function isSame(a: Mutation, b: Mutation): boolean {
  return a.place === b.place && a.change === b.change && a.nth === b.nth;
}

const file = join(import.meta.dir, "survivors.json");

export function readResults(): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Writes the results as JSON and as Markdown. */
export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(file.replace(/json$/, "md"), page(results));
}

type Counts = Omit<Result, "blob" | "survivors">;

/** The share of the mutants that tests detected, in percent. */
export function scoreOf({ killed, endless, survived }: Counts): number {
  const detected = killed + endless;
  return (100 * detected) / Math.max(1, detected + survived);
}

export function tableOf(results: Results): string {
  const rows = Object.entries(results).map(([source, result]) =>
    rowOf(source, [result.blob, hasChanged(source, result) ? "yes" : "no"], result),
  );
  const lines = Object.values(results);
  const sum = (value: (result: Result) => number) =>
    lines.reduce((total, result) => total + value(result), 0);
  const all: Counts = {
    killed: sum(({ killed }) => killed),
    endless: sum(({ endless }) => endless),
    untyped: sum(({ untyped }) => untyped),
    survived: sum(({ survived }) => survived),
    seconds: sum(({ seconds }) => seconds),
  };
  return [
    "| source | blob | changed since | score | detected | of these endless | survived | type error | seconds |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
    rowOf("all", ["", ""], all),
  ].join("\n");
}

function rowOf(source: string, version: string[], counts: Counts): string {
  const { killed, endless, untyped, survived, seconds } = counts;
  const numbers = [killed + endless, endless, survived, untyped, Math.round(seconds)];
  return `| ${[source, ...version, `${scoreOf(counts).toFixed(1)} %`, ...numbers].join(" | ")} |`;
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

Written by \`bun run test:mutants\`, which changes one expression or statement after another in the sources that guard the
server and runs their tests. The blob is git's id of the tested source (\`git hash-object FILE\`). A source marked as changed
since then has to be tested again; its counts are of the tested text, some of them of version 0.3.0, and survivors whose
code is gone were dropped from the lists.

Below are the mutants that no test detects, each with the reason why that is accepted. A place is a function or a
declaration; (2) means the second such change in it. "Type error" are mutants that the type checker rejects. They are not
counted.`;

/** Code in a cell of a table. */
function quoted(code: string): string {
  return `\`\` ${code.replaceAll("|", "\\|")} \`\``;
}
