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
import { fillAttributes } from "./attributes.ts";
import { fillChanges } from "./changes.ts";
import { fill } from "./fill.ts";
import { type Needles, needlesOf } from "./needles.ts";
import { mainPlans, type Org, type Plan } from "./organizations.ts";
import { computeScores } from "./scores.ts";

export type { Org } from "./organizations.ts";
export type Data = {
  /** The data in the schema of 0.3.0, for an earlier binary. */
  before: string;
  /** The data for accountd and for the other contestants. */
  accountd: string;
  plain: string;
  organizations: { large: Org; medium: Org; small: Org[] };
};
type PrintLine = (line: string) => void;

export const cache = join(import.meta.dir, ".cache");
/** The sources of the data. When one of them changes, the files are created again. */
const dataSources = [
  ..."data organizations fill scores attributes changes companies words needles"
    .split(" ")
    .map((name) => `${name}.ts`),
  "../tests/support/random.ts",
];
const plainSources = ["plain.sql", "plain-fill.sql", "plain-indexes.sql"];

/** The data: 1,000,000 accounts, or a tenth if quick. Created unless it is cached. */
export async function makeData(quick: boolean, print: PrintLine = () => {}): Promise<Data> {
  mkdirSync(cache, { recursive: true });
  const form = quick ? "quick" : "full";
  const version = hashOf(dataSources, migrations.map(({ sql }) => sql).join());
  const plainVersion = hashOf(plainSources, version);
  const accountd = inCache(`${form}-main-${version}.db`);
  const plain = inCache(`${form}-plain-${plainVersion}.db`);
  const before = beforeFile(accountd);
  removeOlder(form, [accountd, before, plain]);
  const plans = mainPlans(quick);
  const [large, medium, ...small] = await makeAccountd(accountd, plans, print, plans.slice(0, 2));
  await makePlain(plain, accountd, print);
  if (!large || !medium) throw new Error("the data has no large and no medium organization");
  return { before, accountd, plain, organizations: { large, medium, small } };
}

/** The number of migrations before `fill`: those of 0.3.0. The later ones upgrade the filled database. */
export const filledSchema = 6;

function beforeFile(accountd: string): string {
  return accountd.replace(/\.db$/, "-before.db");
}

/**
 * Creates the tables with accountd's migrations. The needles are chosen from the names and stored next to the file. The
 * accounts of `attributed` have attributes, and the accounts of `changed` have changes, except in the data for an earlier
 * binary.
 */
async function makeAccountd(
  file: string,
  plans: Plan[],
  print: PrintLine,
  [attributed, changed]: Plan[] = [],
): Promise<Org[]> {
  const needlesFile = `${file}.needles.json`;
  if (!existsSync(file)) {
    const count = plans.reduce((sum, { accounts }) => sum + accounts, 0).toLocaleString("en");
    await timed(print, `${count} accounts in ${plans.length} organizations`, async () => {
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
      const complete = new Database(upgraded);
      if (attributed) fillAttributes(complete, attributed.id);
      if (changed) await fillChanges(upgraded, changed);
      await computeScores(upgraded);
      finish(complete, upgraded, file);
    });
  }
  // Safe: written above when the file was created.
  const needles = JSON.parse(readFileSync(needlesFile, "utf8")) as Needles[];
  return plans.map(({ id, key, accounts, firstAccountId }, i) => {
    const needlesOfOrg = needles[i];
    if (!needlesOfOrg) throw new Error(`${needlesFile} is of other data: remove it and the database`);
    return { id, key, accounts, firstAccountId, needles: needlesOfOrg };
  });
}

/** Copies the rows into the tables of the other contestants. Does nothing without the SQL of these tables. */
async function makePlain(file: string, accountdFile: string, print: PrintLine): Promise<void> {
  const [tables, rows] = ["plain.sql", "plain-fill.sql"].map(textOf);
  if (existsSync(file) || !tables || !rows) return;
  await timed(print, "the same in the tables of the others", async () => {
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

/** Prints what is created, and afterwards the duration. */
export async function timed(print: PrintLine, what: string, work: () => Promise<void>): Promise<void> {
  print(`creating ${what} …`);
  const start = performance.now();
  await work();
  print(`created ${what} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function newFile(file: string): string {
  const unfinished = `${file}.new`;
  for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(unfinished + suffix, { force: true });
  return unfinished;
}

/** Renames a complete file, so that an incomplete one is never used as data. */
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
