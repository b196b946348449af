import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../db/sqlite/engine.ts";
import { migrations } from "../db/sqlite/migrations/list.ts";
import { startPostgres } from "../tests/support/postgres-server.ts";
import { fillAttributes } from "./attributes.ts";
import { fillChanges } from "./changes.ts";
import { contestants } from "./contestants.ts";
import { filledSchema } from "./data.ts";
import { fill } from "./fill.ts";
import { startLoad } from "./load.ts";
import { messageOf } from "./message.ts";
import { needlesOf } from "./needles.ts";
import { largePlans, type Org } from "./organizations.ts";
import { postgresWorks } from "./postgres/work.ts";
import { describeFigures } from "./rounds.ts";
import { computeScores } from "./scores.ts";
import { endServers, startServer } from "./server.ts";
import { fillUsage } from "./usage.ts";
import { type Organizations, works } from "./work.ts";

/**
 * 10,000,000 accounts in 10,000 organizations, and 20,000,000 usage events:
 * `bun bench/large.ts FOLDER [fill|sqlite|postgres]...`, 40 GB of disk, after `bun run build`. Prints the duration of
 * each step. `fill` creates the file, `sqlite` measures it, `postgres` copies it into a PostgreSQL server and measures that.
 */
const [folder, ...stages] = process.argv.slice(2);
if (!folder) throw new Error("the folder is missing");
mkdirSync(folder, { recursive: true });
const file = join(folder, "large.db");
const binary = join(import.meta.dir, "../dist/accountd");
const span = { warmup: 2, seconds: 5 };
const plans = largePlans();

async function step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return result;
}

const gigabytes = (path: string) => (statSync(path).size / 1e9).toFixed(2);

async function fillFile(): Promise<void> {
  const clock = () => 0;
  const earlier = { clock, canCreate: true, migrations: migrations.slice(0, filledSchema) };
  await openDatabase(file, earlier).close();
  const open = () => new Database(file);
  await step("fill the tables of 0.3.0", () => {
    const database = open();
    fill(database, plans);
    database.close();
  });
  console.log(`file of 0.3.0: ${gigabytes(file)} GB`);
  await step("needles", () => {
    const database = open();
    writeFileSync(
      `${file}.needles.json`,
      JSON.stringify(plans.slice(0, 3).map(({ id }) => needlesOf(database, id))),
    );
    database.close();
  });
  await step("migrate", () => openDatabase(file, { clock, isExclusive: true }).close());
  await step("usage events", () => {
    const database = open();
    fillUsage(database, Date.now());
    database.close();
  });
  await step("attributes and changes", async () => {
    const [large, medium] = plans;
    if (!large || !medium) throw new Error("no plans");
    const database = open();
    fillAttributes(database, large.id);
    database.close();
    await fillChanges(file, medium);
  });
  await step("scores", () => computeScores(file));
  console.log(`file: ${gigabytes(file)} GB`);
}

function organizations(): Organizations {
  const needles = JSON.parse(readFileSync(`${file}.needles.json`, "utf8"));
  const [large, medium, ...small] = plans
    .slice(0, 3)
    .map((plan, i): Org => ({ ...plan, needles: needles[i] }));
  if (!large || !medium) throw new Error("no plans");
  return { organizations: { large, medium, small } };
}

/** Runs a command of the program that must succeed, and prints its output. */
async function command(...words: string[]): Promise<void> {
  await step(`accountd ${words[0]}`, async () => {
    const child = Bun.spawn([binary, ...words], { stdout: "inherit", stderr: "inherit" });
    if ((await child.exited) !== 0) throw new Error(`accountd ${words[0]} failed`);
  });
}

/** Starts the server on the database and runs each work once. */
async function measure(
  database: string,
  all: ReturnType<typeof works>,
  engine: "sqlite" | "postgres",
): Promise<void> {
  const [accountd] = contestants;
  if (!accountd) throw new Error("no contestant");
  const server = await startServer(accountd, database, join(folder ?? "", `${engine}.log`));
  console.log(`start to the first response: ${server.startedIn.toFixed(0)} ms`);
  const load = startLoad(organizations());
  for (const work of all) {
    try {
      const figures = await load.drive({ port: server.port, work: work.name, engine, ...span });
      console.log(`${work.name.padEnd(24)} ${describeFigures(figures, work)}`);
    } catch (error) {
      console.log(`${work.name}: ${messageOf(error)}`);
    }
  }
  console.log(`memory: ${JSON.stringify(server.memory())}`);
  load.end();
  await step("stop", () => server.stop());
}

const measured: Record<string, () => Promise<void>> = {
  fill: fillFile,
  async sqlite() {
    await command("check", "--quick", "--database", file);
    await command("check", "--database", file);
    await command("backup", join(folder, "backup.db"), "--database", file);
    await measure(file, works(organizations()), "sqlite");
    await command("restore", join(folder, "backup.db"), "--force", "--database", file);
  },
  async postgres() {
    const keptFolder = join(folder, "postgres");
    const isNew = !existsSync(keptFolder);
    const settings = { shared_buffers: "2GB", max_wal_size: "8GB" };
    const server = await startPostgres({ isDurable: true, settings, keptFolder });
    try {
      if (isNew) await command("copy", "--from", file, "--to", server.url);
      await command("check", "--quick", "--database", server.url);
      const all = postgresWorks(organizations()).filter(({ hasSlowFlush }) => !hasSlowFlush);
      await measure(server.url, all, "postgres");
    } finally {
      await server.stop();
    }
  },
};

try {
  for (const stage of stages.length > 0 ? stages : Object.keys(measured)) {
    const run = measured[stage];
    if (!run) throw new Error(`there is no stage ${stage}: ${Object.keys(measured).join(", ")}`);
    await run();
  }
} finally {
  endServers();
}
