import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate.ts";
import { treesOf } from "./sources.ts";
import { type Tests, table } from "./table.ts";
import { checkTests, Workshop } from "./workshop.ts";

/** The minimal share of the mutants of a source that tests must detect, in percent. */
const minScore = 85;
const started = performance.now();

function printProgress(line: string): void {
  console.error(`${String(secondsSince(started).toFixed(0)).padStart(5)} s  ${line}`);
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** The time limit of each stage in seconds: 20 more than five times the duration without a mutation. */
async function limitsOf(workshop: Workshop, stages: string[][]): Promise<number[]> {
  if (!(await workshop.hasSoundTypes()))
    throw new Error("the type checker finds errors in the unchanged sources");
  const limits: number[] = [];
  for (const stage of stages) {
    const start = performance.now();
    if ((await workshop.test(stage, 300)) !== "passed")
      throw new Error(`tests fail on the unchanged sources: ${stage.join(", ")}`);
    limits.push(20 + 5 * secondsSince(start));
  }
  return limits;
}

/** Mutants with type errors are not programs. A mutant whose tests exceed the time limit counts as detected. */
type Outcome = "killed" | "endless" | "untyped" | "survived";
type Result = Record<Outcome, number> & { source: string; seconds: number };

async function outcomeOf(workshop: Workshop, stages: string[][], limits: number[]): Promise<Outcome> {
  for (const [i, stage] of stages.entries()) {
    const outcome = await workshop.test(stage, limits[i] ?? 0);
    if (outcome !== "passed") return outcome === "failed" ? "killed" : outcome;
  }
  return (await workshop.hasSoundTypes()) ? "survived" : "untyped";
}

async function testMutants(workshop: Workshop, tests: Tests, mutants: Mutant[]): Promise<Result> {
  const start = performance.now();
  const stages = [tests.first, tests.rest].filter((stage) => stage.length > 0);
  const limits = await limitsOf(workshop, stages);
  const result = { source: tests.source, killed: 0, endless: 0, untyped: 0, survived: 0, seconds: 0 };
  for (const [i, { text, place, change, code }] of mutants.entries()) {
    const outcome = await workshop.with(tests.source, text, () => outcomeOf(workshop, stages, limits));
    result[outcome] += 1;
    if (outcome === "survived") console.log(`${tests.source}, ${place}: ${change} survived in ${code}`);
    else if (i % 20 === 0) printProgress(`${tests.source} ${i + 1}/${mutants.length}`);
  }
  return { ...result, seconds: secondsSince(start) };
}

/** The share of the mutants that tests detected, in percent. */
function scoreOf({ killed, endless, survived }: Result): number {
  const detected = killed + endless;
  return (100 * detected) / Math.max(1, detected + survived);
}

function rowOf(result: Result): string {
  const { source, killed, endless, untyped, survived, seconds } = result;
  const numbers = [killed + endless, endless, survived, untyped, Math.round(seconds)];
  return `| ${[source, `${scoreOf(result).toFixed(1)} %`, ...numbers].join(" | ")} |`;
}

/**
 * Tests the mutants of these sources, or of all, and prints the survivors and a table. `--every=N` tests each Nth mutant
 * only: a sample of all sources takes a part of the hours.
 */
async function run(args: string[]): Promise<boolean> {
  const { values, positionals: names } = parseArgs({
    args,
    options: { every: { type: "string", default: "1" } },
    allowPositionals: true,
  });
  const every = Number(values.every);
  if (!Number.isInteger(every) || every < 1) throw new Error("--every is not a positive integer");
  const unknown = names.filter((name) => !table.some(({ source }) => source === name));
  if (unknown.length > 0) throw new Error(`not in the table: ${unknown.join(", ")}`);
  const chosen = table.filter(({ source }) => names.length === 0 || names.includes(source));
  checkTests(chosen.flatMap(({ first, rest }) => [...first, ...rest]));
  const trees = await treesOf(chosen.map(({ source }) => source));
  const workshop = new Workshop();
  process.on("exit", () => workshop.close());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  const results: Result[] = [];
  for (const tests of chosen) {
    const tree = trees.get(tests.source);
    const mutants = tree ? mutantsOf(tree) : [];
    if (mutants.length === 0) throw new Error(`${tests.source} has no mutants`);
    const sample = mutants.filter((_, i) => i % every === every - 1 || mutants.length < every);
    results.push(await testMutants(workshop, tests, sample));
  }
  console.log("| source | score | detected | of these endless | survived | type error | seconds |");
  console.log(["|---|---|---|---|---|---|---|", ...results.map(rowOf)].join("\n"));
  return results.every((result) => scoreOf(result) >= minScore);
}

process.exitCode = (await run(process.argv.slice(2))) ? 0 : 1;
