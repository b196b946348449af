import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { copyAll } from "../../db/copy.ts";
import { openCopyTarget } from "../../db/postgres/copy.ts";
import { migrations as postgresMigrations } from "../../db/postgres/migrations/list.ts";
import { openCopySource } from "../../db/sqlite/copy.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { cache } from "../data.ts";
import { fill } from "../fill.ts";
import { type Needles, needlesOf } from "../needles.ts";
import { mainPlans, type Org, type Plan } from "../organizations.ts";
import { computeScores } from "../scores.ts";
import type { Organizations } from "../work.ts";
import { urlOf } from "./database.ts";
import type { BenchServer } from "./server.ts";

/** The database that is copied for each contestant, and its organizations. */
export type PostgresData = Organizations & { template: string };

/** The sources of the data. When one of them changes, the database is created again. */
const sources = [
  ...[
    "../fill.ts",
    "../companies.ts",
    "../words.ts",
    "../needles.ts",
    "../organizations.ts",
    "../scores.ts",
    "data.ts",
  ],
  "../../tests/support/random.ts",
];
/** `fill` inserts into the schema of 0.3.0; the later migrations upgrade it. */
const filledSchema = 6;

/** The data of the SQLite benchmark, 1,000,000 accounts or a tenth if quick. Created unless the server has it. */
export function makePostgresData(
  server: BenchServer,
  quick: boolean,
  print: (line: string) => void,
): Promise<PostgresData> {
  return makeTemplate(server, quick ? "quick" : "full", mainPlans(quick), print);
}

/** The same with other organizations. `form` is a part of the name of the database. */
export async function makeTemplate(
  server: BenchServer,
  form: string,
  plans: Plan[],
  print: (line: string) => void = () => {},
): Promise<PostgresData> {
  const template = `accountd_bench_${form}_${versionOf(plans)}`;
  let needles = await readNeedles(server, template);
  if (!needles) {
    const count = plans.reduce((sum, { accounts }) => sum + accounts, 0).toLocaleString("en");
    print(`creating ${count} accounts in ${plans.length} organizations …`);
    await dropOlder(server, form);
    needles = await createTemplate(server, template, plans);
    print(`created them in ${urlOf(server, template)}`);
  }
  const organizations = plans.map(({ id, key, accounts, firstAccountId }, i): Org => {
    const own = needles[i];
    if (!own) throw new Error(`${template} is of other data: drop it`);
    return { id, key, accounts, firstAccountId, needles: own };
  });
  const [large, medium, ...small] = organizations;
  if (!large || !medium) throw new Error("the data has no large and no medium organization");
  return { template, organizations: { large, medium, small } };
}

/** The needles are the comment of a complete database. */
async function readNeedles({ admin }: BenchServer, template: string): Promise<Needles[] | undefined> {
  const [row] = await admin`select shobj_description(oid, 'pg_database') as comment
    from pg_database where datname = ${template}`;
  // Safe: `createTemplate` wrote it.
  return row?.comment ? (JSON.parse(row.comment) as Needles[]) : undefined;
}

async function dropOlder({ admin }: BenchServer, form: string): Promise<void> {
  const rows: { name: string }[] =
    await admin`select datname as name from pg_database where datname ^@ ${`accountd_bench_${form}_`}`;
  for (const { name } of rows) await admin.unsafe(`drop database ${name}`).simple();
}

/** Fills a SQLite file, and copies it: `finish` of the copy runs VACUUM and ANALYZE. */
async function createTemplate(server: BenchServer, template: string, plans: Plan[]): Promise<Needles[]> {
  const { admin } = server;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "copy-"));
  try {
    const file = join(folder, "accountd.db");
    const needles = await fillFile(file, plans);
    await admin.unsafe(`create database ${template} template template0`).simple();
    const source = openCopySource(file, 0);
    const target = await openCopyTarget(urlOf(server, template), () => 0);
    const { differing } = await copyAll(source, target);
    await target.close();
    await source.close();
    if (differing.length > 0) throw new Error(`the copy differs in ${differing.join(", ")}`);
    const comment = JSON.stringify(needles).replaceAll("'", "''");
    await admin.unsafe(`comment on database ${template} is '${comment}'`).simple();
    return needles;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillFile(file: string, plans: Plan[]): Promise<Needles[]> {
  const earlier = migrations.slice(0, filledSchema);
  await openDatabase(file, { clock: () => 0, canCreate: true, migrations: earlier }).close();
  const database = new Database(file);
  fill(database, plans);
  const needles = plans.map(({ id }) => needlesOf(database, id));
  database.close();
  await openDatabase(file, { clock: () => 0, isExclusive: true }).close();
  await computeScores(file);
  return needles;
}

function versionOf(plans: Plan[]): string {
  const texts = sources.map((name) => readFileSync(join(import.meta.dir, name), "utf8"));
  const schema = [...migrations, ...postgresMigrations].map(({ sql }) => sql);
  return Bun.hash([...texts, ...schema, JSON.stringify(plans)].join())
    .toString(36)
    .slice(0, 8);
}
