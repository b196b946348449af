import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytesOfChange } from "./changes.ts";
import type { Contestant } from "./contestants.ts";
import { cache, makeData } from "./data.ts";
import { writeEngines } from "./engines.ts";
import { measureFollowed } from "./followed.ts";
import { build } from "./install.ts";
import { machineOf } from "./machine.ts";
import { messageOf } from "./message.ts";
import { checkNames, type Options, readOptions } from "./options.ts";
import { alikeOf, nameOf, presentOf } from "./participants.ts";
import { benchPostgres } from "./postgres/run.ts";
import { rounded, rowsOf, type Single, singleRowsOf } from "./results.ts";
import { type Bench, measure } from "./rounds.ts";
import { endServers } from "./server.ts";
import { tableOf } from "./table.ts";
import { works } from "./work.ts";

/** The folder of the database copies of this run. */
const folder = join(cache, `run-${process.pid}`);
const start = performance.now();

function print(line: string): void {
  const seconds = Math.floor((performance.now() - start) / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${line}`);
}

/** Stops the processes of this run, and removes its files. */
function tidy(): void {
  endServers();
  for (const name of [folder, join(cache, `check-${process.pid}`)])
    rmSync(name, { recursive: true, force: true });
}

async function bench(options: Options): Promise<void> {
  const date = new Date();
  print("building the binary …");
  await build();
  const present = await presentOf(options, print);
  const data = await makeData(options.quick, print);
  checkNames("work", options.named, [...works(data).map(({ name }) => name), "start", "followed"]);
  beginTidily();
  const contestants = await alikeOf(present, data, print);
  const outcome = await measure({ data, contestants, options, folder, print });
  outcome.singles.push(...(await sizes(contestants)));
  outcome.singles.push(...(await followed({ data, contestants, options, folder, print })));
  const names = contestants.map(({ name }) => name);
  const rows = rowsOf(works(data), outcome.measured, names);
  const singles = singleRowsOf(outcome.singles, names);
  const machine = await machineOf(date);
  const rounds = options.rounds === 1 ? "1 round" : `${options.rounds} rounds`;
  const about = `${machine.cpu}, ${machine.cores} cores, ${machine.date.slice(0, 10)}, ${rounds}`;
  console.log(`\n${tableOf(rows, singles)}\n\n${about}, commit ${machine.commit}`);
  if (options.quick) console.log("Measured with a tenth of the data.");
  const results = join(import.meta.dir, "results");
  mkdirSync(results, { recursive: true });
  const name = nameOf(options, contestants);
  const file = join(results, name);
  const { quick, span } = options;
  const report = { machine, quick, rounds: options.rounds, span, works: rows, singles };
  writeFileSync(`${file}.json`, `${JSON.stringify(report, rounded, 2)}\n`);
  print(`written to ${file}.json`);
  if (name === "results") writeEngines();
}

/** Installed only after the data is created: before that there are no processes to stop and no files to remove. */
function beginTidily(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      tidy();
      process.exit(130);
    });
  for (const name of readdirSync(cache)) {
    const pid = Number(/^(?:run|check)-(\d+)$/.exec(name)?.[1]);
    if (pid > 0 && !existsSync(`/proc/${pid}`)) rmSync(join(cache, name), { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
}

async function followed(bench: Bench): Promise<Single[]> {
  const { contestants, options } = bench;
  if (!contestants.some(({ name }) => name === "accountd")) return [];
  if (!(options.only?.includes("followed") ?? true)) return [];
  try {
    return await measureFollowed(bench);
  } catch (error) {
    print(`followed: ${messageOf(error)}`);
    return [];
  }
}

async function sizes(contestants: Contestant[]): Promise<Single[]> {
  const accountd = contestants.find(({ name }) => name === "accountd");
  const [binary] = accountd?.command(0, "").cmd ?? [];
  if (!binary) return [];
  return [
    { name: "change", contestant: "accountd", value: await bytesOfChange(join(folder, "changes.db")) },
    { name: "size", contestant: "accountd", value: Bun.file(binary).size / 1e6 },
  ];
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options?.engine === "postgres") await benchPostgres(options, print);
  else if (options) await bench(options);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  tidy();
}
