import { Database } from "bun:sqlite";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { openDatabase } from "../db/sqlite/engine.ts";
import { migrations } from "../db/sqlite/migrations/list.ts";
import { fill } from "./fill.ts";
import { type Needles, needlesOf } from "./needles.ts";
import { growthPlans, mainPlans, type Org, type Plan } from "./organizations.ts";

export type { Org } from "./organizations.ts";
export type Data = {
  /** The database of 0.3.0, for an earlier binary; and the same data in the present schema. */
  before: string;
  /** The files: accountd's own and the other contestants', and of each one with organizations to grow by. */
  accountd: string;
  plain: string;
  growthAccountd: string;
  growthPlain: string;
  organizations: { large: Org; medium: Org; small: Org[]; growth: Org[] };
};
type Say = (line: string) => void;

export const cache = join(import.meta.dir, ".cache");
/** What the files follow from: when one of these changes they are made anew. */
const recipe = [
  ..."data organizations fill companies words needles".split(" ").map((name) => `${name}.ts`),
  "../tests/support/random.ts",
];
const plainRecipe = ["plain.sql", "plain-fill.sql", "plain-indexes.sql"];
const directusRecipe = ["collections.ts", "make.ts", "package.json"].map((name) => `directus/${name}`);

/** The data: 1,000,000 accounts, and those to grow by; a tenth of all if quick. Made if it is not there yet. */
export async function makeData(quick: boolean, say: Say = () => {}): Promise<Data> {
  mkdirSync(cache, { recursive: true });
  const form = quick ? "quick" : "full";
  const version = hashOf(recipe, migrations.map(({ sql }) => sql).join());
  const plainVersion = hashOf(plainRecipe, version);
  const accountd = inCache(`${form}-main-${version}.db`);
  const growthAccountd = inCache(`${form}-growth-${version}.db`);
  const plain = inCache(`${form}-plain-${plainVersion}.db`);
  const growthPlain = inCache(`${form}-plain-growth-${plainVersion}.db`);
  removeOlder(form, [accountd, growthAccountd, plain, growthPlain, directusFile(plain)]);
  const before = beforeFile(accountd);
  const [large, medium, ...small] = await makeAccountd(accountd, mainPlans(quick), say);
  const growth = await makeAccountd(growthAccountd, growthPlans(quick), say);
  await makePlain(plain, accountd, say);
  await makePlain(growthPlain, growthAccountd, say);
  if (!large || !medium) throw new Error("the data has no large and no medium organization");
  return {
    before,
    accountd,
    plain,
    growthAccountd,
    growthPlain,
    organizations: { large, medium, small, growth },
  };
}

/** What a contestant is started on a copy of. Directus's is made only for a run in which it takes part. */
export function fileOf(data: Data, tables: "accountd" | "before" | "plain" | "directus"): string {
  return tables === "directus" ? directusFile(data.plain) : data[tables];
}

/** It follows from the plain one, whose name tells which that is. */
function directusFile(plain: string): string {
  const form = basename(plain).split("-")[0];
  return inCache(`${form}-directus-${hashOf(directusRecipe, basename(plain))}.db`);
}

/** The number of migrations whose tables `fill` writes: those of 0.3.0. The present schema is an upgrade of them. */
const filledSchema = 6;

function beforeFile(accountd: string): string {
  return accountd.replace(/\.db$/, "-before.db");
}

/** By accountd's own migrations. What is searched for is chosen from the names, and kept beside the file. */
async function makeAccountd(file: string, plans: Plan[], say: Say): Promise<Org[]> {
  const needlesFile = `${file}.needles.json`;
  if (!existsSync(file)) {
    const count = plans.reduce((sum, { accounts }) => sum + accounts, 0).toLocaleString("en");
    await timed(say, `${count} accounts in ${plans.length} organizations`, async () => {
      const earlier = beforeFile(file);
      const unfinished = newFile(earlier);
      const filled = migrations.slice(0, filledSchema);
      await openDatabase(unfinished, { clock: () => 0, canCreate: true, migrations: filled }).close();
      const database = new Database(unfinished);
      fill(database, plans);
      writeFileSync(needlesFile, JSON.stringify(plans.map(({ id }) => needlesOf(database, id))));
      finish(database, unfinished, earlier);
      const upgraded = newFile(file);
      copyFileSync(earlier, upgraded);
      await openDatabase(upgraded, { clock: () => 0, isExclusive: true }).close();
      for (const copy of new Bun.Glob(`${basename(upgraded)}.before-*`).scanSync(cache))
        rmSync(inCache(copy));
      finish(new Database(upgraded), upgraded, file);
    });
  }
  // Safe: it was written above, when the file was made.
  const needles = JSON.parse(readFileSync(needlesFile, "utf8")) as Needles[];
  return plans.map(({ id, key, accounts, firstAccountId }, i) => {
    const own = needles[i];
    if (!own) throw new Error(`${needlesFile} is of other data: remove it and the file beside it`);
    return { id, key, accounts, firstAccountId, needles: own };
  });
}

/** The same rows in the tables of the other contestants; nothing as long as there is no description of these. */
async function makePlain(file: string, accountdFile: string, say: Say): Promise<void> {
  const [tables, rows] = ["plain.sql", "plain-fill.sql"].map(textOf);
  if (existsSync(file) || !tables || !rows) return;
  await timed(say, "the same in the tables of the others", async () => {
    const unfinished = newFile(file);
    const database = new Database(unfinished, { create: true });
    database.run(tables);
    for (const pragma of ["journal_mode = OFF", "synchronous = OFF", "cache_size = -524288"])
      database.run(`PRAGMA ${pragma}`);
    database.run("ATTACH ? AS source", [accountdFile]);
    database.run(rows);
    const indexes = textOf("plain-indexes.sql");
    if (indexes) database.run(indexes);
    database.run("DETACH source");
    database.run("PRAGMA journal_mode = WAL");
    finish(database, unfinished, file);
  });
}

/** Says what is made, and then how long it took. */
export async function timed(say: Say, what: string, work: () => Promise<void>): Promise<void> {
  say(`making ${what} …`);
  const start = performance.now();
  await work();
  say(`made ${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function newFile(file: string): string {
  const unfinished = `${file}.new`;
  for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(unfinished + suffix, { force: true });
  return unfinished;
}

/** Only a whole file gets its name: what was cut off is not taken for data later. */
function finish(database: Database, unfinished: string, file: string): void {
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  renameSync(unfinished, file);
  for (const suffix of ["-wal", "-shm", ".lock"]) rmSync(unfinished + suffix, { force: true });
}

function removeOlder(form: string, files: string[]): void {
  for (const name of readdirSync(cache))
    if (name.startsWith(`${form}-`) && !files.some((file) => inCache(name).startsWith(file)))
      rmSync(inCache(name));
}

function inCache(name: string): string {
  return join(cache, name);
}

function hashOf(names: string[], more: string): string {
  return Bun.hash(names.map(textOf).join() + more)
    .toString(36)
    .slice(0, 8);
}

function textOf(name: string): string {
  return readFileSync(join(import.meta.dir, name), "utf8");
}
