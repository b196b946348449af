import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contestant } from "../contestants.ts";
import { cache } from "../data.ts";
import { writeEngines } from "../engines.ts";
import { build } from "../install.ts";
import { machineOf } from "../machine.ts";
import { checkNames, type Options } from "../options.ts";
import { presentOf } from "../participants.ts";
import { rounded, rowsOf } from "../results.ts";
import { endServers } from "../server.ts";
import { tableOf } from "../table.ts";
import { checkOnPostgres } from "./check.ts";
import { postgresContestants } from "./contestants.ts";
import { makePostgresData } from "./data.ts";
import { dropLeftovers, measureFlush } from "./database.ts";
import { processorTable } from "./processor-table.ts";
import { measureOnPostgres } from "./rounds.ts";
import { type BenchServer, settingsOf, startBenchServer } from "./server.ts";
import { postgresWorks } from "./work.ts";

/** A slow flush takes 1 ms longer; a sleep of 1 ms may end a little early by another clock. */
const minSlowerMilliseconds = 0.95;

/** Runs the benchmark on PostgreSQL, prints the results and writes them to `results/`. */
export async function benchPostgres(options: Options, print: (line: string) => void): Promise<void> {
  const date = new Date();
  print("building the binary …");
  await build();
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "run-postgres-"));
  let server: BenchServer | undefined;
  const tidy = async () => {
    endServers();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => tidy().finally(() => process.exit(130)));
  try {
    print("starting PostgreSQL …");
    server = await startBenchServer();
    await run(server, options, { date, folder, print });
  } finally {
    await tidy();
  }
}

type Surroundings = { date: Date; folder: string; print: (line: string) => void };

async function run(
  server: BenchServer,
  options: Options,
  { date, folder, print }: Surroundings,
): Promise<void> {
  const settings = await settingsOf(server);
  if (settings.fsync !== "on" || settings.synchronous_commit !== "on")
    throw new Error("The server does not flush: fsync and synchronous_commit must be on.");
  const flush = await measureFlush(server);
  print(
    `the shortest commit takes ${flush.usual.toFixed(3)} ms, with a slow flush ${flush.slow.toFixed(3)} ms`,
  );
  if (flush.slow - flush.usual < minSlowerMilliseconds)
    throw new Error("commit_delay does not make a flush 1 ms longer.");
  await dropLeftovers(server);
  const present = await presentOf(options, print, postgresContestants);
  const data = await makePostgresData(server, options.quick, print);
  const all = postgresWorks(data);
  checkNames(
    "work",
    options.named,
    all.map(({ name }) => name),
  );
  const works = all.filter(({ name }) => options.only?.includes(name.replace("@flush", "")) ?? true);
  const contestants = await alikeOf(present, { server, data, folder }, print);
  const { measured, idle } = await measureOnPostgres({
    server,
    data,
    contestants,
    works,
    options,
    folder,
    print,
  });
  const rows = rowsOf(
    works,
    measured,
    contestants.map(({ name }) => name),
  );
  const machine = await machineOf(date);
  console.log(`\n${tableOf(rows, [])}\n\n${processorTable(rows, idle)}\n`);
  console.log(
    `${machine.cpu}, ${machine.cores} cores, commit ${machine.commit}, ${JSON.stringify(settings)}`,
  );
  const { quick, rounds, span } = options;
  const name = fileNameOf(options, contestants);
  const file = join(import.meta.dir, "../results", name);
  const report = { machine, settings, flush, quick, rounds, span, idle, works: rows };
  writeFileSync(file, `${JSON.stringify(report, rounded, 2)}\n`);
  print(`written to ${file}`);
  if (name === "postgres.json") writeEngines();
}

/** The contestants whose replies equal accountd's. Others are not measured. */
async function alikeOf(
  present: Contestant[],
  place: Parameters<typeof checkOnPostgres>[2],
  print: (line: string) => void,
): Promise<Contestant[]> {
  const [reference] = postgresContestants;
  if (!reference) throw new Error("there is no accountd to compare with");
  print("comparing replies …");
  const others = present.filter(({ name }) => name !== reference.name);
  const mismatches = await checkOnPostgres(reference, others, place);
  for (const { contestant, differences } of mismatches)
    print(`without ${contestant}, whose replies differ:\n${differences.join("\n")}`);
  return present.filter(({ name }) => !mismatches.some(({ contestant }) => contestant === name));
}

/** Only a whole run is saved in the repository: three rounds of all works and contestants. */
export function fileNameOf({ quick, isPart, rounds }: Options, part: Contestant[]): string {
  if (isPart || part.length < postgresContestants.length || (!quick && rounds < 3))
    return "partial.postgres.json";
  return quick ? "quick.postgres.json" : "postgres.json";
}
