import { type Mutant, mutantsOf } from "./mutate.ts";
import {
  isSame,
  type Result,
  readResults,
  type Survivor,
  scoreOf,
  tableOf,
  writeResults,
} from "./results.ts";
import { blobOf, treesOf } from "./sources.ts";
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

type Outcome = "killed" | "endless" | "untyped" | "survived";

async function outcomeOf(workshop: Workshop, stages: string[][], limits: number[]): Promise<Outcome> {
  for (const [i, stage] of stages.entries()) {
    const outcome = await workshop.test(stage, limits[i] ?? 0);
    if (outcome !== "passed") return outcome === "failed" ? "killed" : outcome;
  }
  return (await workshop.hasSoundTypes()) ? "survived" : "untyped";
}

async function testMutants(
  workshop: Workshop,
  tests: Tests,
  mutants: Mutant[],
  before: Result,
): Promise<Result> {
  const start = performance.now();
  const stages = [tests.first, tests.rest].filter((stage) => stage.length > 0);
  const limits = await limitsOf(workshop, stages);
  const counts = { killed: before.killed, endless: before.endless, untyped: before.untyped };
  const survivors: Survivor[] = [];
  for (const [i, { text, ...mutant }] of mutants.entries()) {
    const outcome = await workshop.with(tests.source, text, () => outcomeOf(workshop, stages, limits));
    if (outcome !== "survived") counts[outcome] += 1;
    else survivors.push({ ...mutant, reason: reasonFor(mutant, before.survivors) });
    if (outcome !== "killed" || i % 20 === 0)
      printProgress(
        `${tests.source} ${i + 1}/${mutants.length}: ${outcome}, ${mutant.place}: ${mutant.change}`,
      );
  }
  return {
    blob: before.blob,
    ...counts,
    survived: survivors.length,
    seconds: before.seconds + secondsSince(start),
    survivors,
  };
}

function reasonFor(mutant: Omit<Mutant, "text">, previous: Survivor[]): string {
  return previous.find((survivor) => isSame(survivor, mutant))?.reason ?? "";
}

const noResult: Result = {
  blob: "",
  killed: 0,
  endless: 0,
  untyped: 0,
  survived: 0,
  seconds: 0,
  survivors: [],
};

/** Tests the mutants of these sources, or of all. With `again`, only those that survived the last run. */
async function run(names: string[], again: boolean): Promise<boolean> {
  const unknown = names.filter((name) => !table.some(({ source }) => source === name));
  if (unknown.length > 0) throw new Error(`not in the table: ${unknown.join(", ")}`);
  const chosen = table.filter(({ source }) => names.length === 0 || names.includes(source));
  checkTests(chosen.flatMap(({ first, rest }) => [...first, ...rest]));
  const trees = await treesOf(chosen.map(({ source }) => source));
  const workshop = new Workshop();
  process.on("exit", () => workshop.close());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1));
  for (const tests of chosen) {
    const { source } = tests;
    const tree = trees.get(source);
    const mutants = tree ? mutantsOf(tree) : [];
    if (mutants.length === 0) throw new Error(`${source} has no mutants`);
    const { [source]: previous = noResult } = readResults();
    const remaining = mutants.filter(
      (mutant) => !again || previous.survivors.some((survivor) => isSame(survivor, mutant)),
    );
    const blob = blobOf(tree?.text ?? "");
    const before = again ? { ...previous, blob } : { ...noResult, blob, survivors: previous.survivors };
    const result = await testMutants(workshop, tests, remaining, before);
    // Read again, because other runs may have written results of other sources.
    writeResults({ ...readResults(), [source]: result });
    printProgress(`${source}: ${scoreOf(result).toFixed(1)} %, ${result.survivors.length} survivors`);
  }
  const results = readResults();
  console.log(tableOf(results));
  return chosen.every(({ source }) => isGood(results[source]));
}

function isGood(result: Result | undefined): boolean {
  return (
    result !== undefined &&
    scoreOf(result) >= minScore &&
    result.survivors.every(({ reason }) => reason !== "")
  );
}

const usage = `bun run test:mutants [SOURCE...] [--again]

Tests the mutants of these sources, or of all. --again: only those that survived the last run.
Sources: ${table.map(({ source }) => source).join(", ")}`;

const words = process.argv.slice(2);
const names = words.filter((word) => word !== "--again");
if (words.includes("--help")) console.log(usage);
else process.exitCode = (await run(names, names.length < words.length)) ? 0 : 1;
