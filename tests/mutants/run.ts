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

/** The share of the mutants of all sources that tests must notice, in percent. */
const demanded = 85;
const started = performance.now();

function say(line: string): void {
  console.error(`${String(secondsSince(started).toFixed(0)).padStart(5)} s  ${line}`);
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** The seconds that each stage may take: what it took without a mutation, fivefold, and some. */
async function limitsOf(workshop: Workshop, stages: string[][]): Promise<number[]> {
  if (!(await workshop.hasSoundTypes())) throw new Error("without a mutation the type checker finds errors");
  const limits: number[] = [];
  for (const stage of stages) {
    const start = performance.now();
    if ((await workshop.test(stage, 300)) !== "passed")
      throw new Error(`without a mutation these fail: ${stage.join(", ")}`);
    limits.push(20 + 5 * secondsSince(start));
  }
  return limits;
}

type Fate = "killed" | "endless" | "untyped" | "survived";

async function fateOf(workshop: Workshop, stages: string[][], limits: number[]): Promise<Fate> {
  for (const [i, stage] of stages.entries()) {
    const outcome = await workshop.test(stage, limits[i] ?? 0);
    if (outcome !== "passed") return outcome === "failed" ? "killed" : outcome;
  }
  return (await workshop.hasSoundTypes()) ? "survived" : "untyped";
}

async function judge(workshop: Workshop, tests: Tests, mutants: Mutant[], before: Result): Promise<Result> {
  const start = performance.now();
  const stages = [tests.first, tests.rest].filter((stage) => stage.length > 0);
  const limits = await limitsOf(workshop, stages);
  const counts = { killed: before.killed, endless: before.endless, untyped: before.untyped };
  const survivors: Survivor[] = [];
  for (const [i, { text, ...mutant }] of mutants.entries()) {
    const fate = await workshop.with(tests.source, text, () => fateOf(workshop, stages, limits));
    if (fate !== "survived") counts[fate] += 1;
    else survivors.push({ ...mutant, reason: reasonFor(mutant, before.survivors) });
    if (fate !== "killed" || i % 20 === 0)
      say(`${tests.source} ${i + 1}/${mutants.length}: ${fate}, ${mutant.place}: ${mutant.change}`);
  }
  return {
    blob: before.blob,
    ...counts,
    survived: survivors.length,
    seconds: before.seconds + secondsSince(start),
    survivors,
  };
}

function reasonFor(mutant: Omit<Mutant, "text">, known: Survivor[]): string {
  return known.find((one) => isSame(one, mutant))?.reason ?? "";
}

const nothing: Result = {
  blob: "",
  killed: 0,
  endless: 0,
  untyped: 0,
  survived: 0,
  seconds: 0,
  survivors: [],
};

/** Judges the mutants of these sources, or of all; with `again`, only those that survived the last time. */
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
    if (mutants.length === 0) throw new Error(`${source} has nothing to mutate`);
    const { [source]: known = nothing } = readResults();
    const left = mutants.filter((mutant) => !again || known.survivors.some((one) => isSame(one, mutant)));
    const blob = blobOf(tree?.text ?? "");
    const before = again ? { ...known, blob } : { ...nothing, blob, survivors: known.survivors };
    const result = await judge(workshop, tests, left, before);
    // Read again: other runs may have judged other sources meanwhile.
    writeResults({ ...readResults(), [source]: result });
    say(`${source}: ${scoreOf(result).toFixed(1)} %, ${result.survivors.length} survivors`);
  }
  const results = readResults();
  console.log(tableOf(results));
  return chosen.every(({ source }) => isGood(results[source]));
}

function isGood(result: Result | undefined): boolean {
  return (
    result !== undefined &&
    scoreOf(result) >= demanded &&
    result.survivors.every(({ reason }) => reason !== "")
  );
}

const usage = `bun run test:mutants [SOURCE...] [--again]

Judges the mutants of these sources, or of all. --again: only those that survived the last time.
Sources: ${table.map(({ source }) => source).join(", ")}`;

const words = process.argv.slice(2);
const names = words.filter((word) => word !== "--again");
if (words.includes("--help")) console.log(usage);
else process.exitCode = (await run(names, names.length < words.length)) ? 0 : 1;
