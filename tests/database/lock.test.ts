import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { UnusableDatabase } from "../../db/errors.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { lockDatabase } from "../../db/sqlite/lock.ts";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { fold } from "../../src/core/folding.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";
import { databaseOfVersion, releasedVersion } from "./versions.ts";

const children: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    await child.exited;
  }
});

const newer = [...migrations, { name: "9999_more", sql: "CREATE TABLE more (id INTEGER) STRICT" }];

/** Files that a server rejects. */
const rejected: Record<string, (file: string) => Promise<void>> = {
  "an empty file": async (file) => writeFileSync(file, ""),
  "a text file": async (file) => writeFileSync(file, "a text, no database\n".repeat(400)),
  "a database of another program": async (file) => {
    const other = new Database(file);
    other.run("CREATE TABLE accounts (id INTEGER)");
    other.close();
  },
  "a SQLite database without tables": async (file) => {
    const other = new Database(file);
    other.run("PRAGMA user_version = 1");
    other.close();
  },
  "a database of a newer version": async (file) => {
    await openDatabase(file, { clock, canCreate: true, migrations: newer }).close();
  },
  "a truncated database": async (file) => {
    copyFileSync(await newDatabase(["First"]), file);
    truncateSync(file, statSync(file).size - 100);
  },
  "a database with damaged pages after an unclean shutdown": async (file) => {
    const source = await newDatabase(Array.from({ length: 300 }, (_, i) => `${i} ${"x".repeat(200)}`));
    const engine = openDatabase(source, { clock });
    await createOrganization(engine, "In the WAL");
    for (const suffix of ["", "-wal"]) copyFileSync(source + suffix, file + suffix);
    await engine.close();
    const bytes = await Bun.file(file).bytes();
    await Bun.write(file, bytes.fill(0xa5, bytes.length - 30_000, bytes.length - 10_000));
  },
  "a symbolic link to a file that does not exist": async (file) => symlinkSync("nowhere", file),
};

test.each(Object.entries(rejected))(
  "%s is rejected by a server and not changed, and no lock is left",
  async (_, make) => {
    const file = temporaryFile("accountd.db");
    await make(file);
    rmSync(`${file}.lock`, { force: true });
    const bytes = existsSync(file) ? readFileSync(file) : undefined;
    expect(() => openDatabase(file, { clock, canCreate: true, isExclusive: true })).toThrow(UnusableDatabase);
    expect(existsSync(file) ? readFileSync(file) : undefined).toEqual(bytes);
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".lock"))).toEqual([]);
  },
);

test("a lock file that existed before is kept when the database is rejected", async () => {
  const file = temporaryFile("accountd.db");
  lockDatabase(file).release();
  expect(existsSync(`${file}.lock`)).toBe(true);
  copyFileSync(await newDatabase(["First"]), file);
  truncateSync(file, statSync(file).size - 100);
  expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow(UnusableDatabase);
  expect(existsSync(`${file}.lock`)).toBe(true);
});

test("a file that is removed while it is opened is reported, and its lock is released", async () => {
  const file = await databaseOfVersion(releasedVersion);
  const upgraded = () => rmSync(file);
  expect(() => openDatabase(file, { clock, isExclusive: true, fold, upgraded })).toThrow(UnusableDatabase);
  lockDatabase(file).release();
});

test("a second server is rejected until the first has closed the database, and does not remove its lock file", async () => {
  const file = await newDatabase();
  const engine = openDatabase(file, { clock, isExclusive: true });
  expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow("in use by another accountd");
  expect(existsSync(`${file}.lock`)).toBe(true);
  await engine.close();
  await openDatabase(file, { clock, isExclusive: true }).close();
});

test("a process that waited for a lock whose file was removed locks the new file at the path", async () => {
  const file = temporaryFile("accountd.db");
  const first = lockDatabase(file);
  const module = join(import.meta.dir, "../../db/sqlite/lock.ts");
  const program = `import { lockDatabase } from ${JSON.stringify(module)};
    console.log("waits");
    const lock = lockDatabase(${JSON.stringify(file)});
    console.log("holds");
    setInterval(() => lock.release, 1000);`;
  const waiting = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
  children.push(waiting);
  const lines = waiting.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let output = "";
  const read = async (text: string) => {
    while (!output.includes(text)) {
      const { done, value } = await lines.read();
      if (done) throw new Error(`ended after: ${output}`);
      output += value;
    }
  };
  await read("waits");
  // Now it waits: it opened the file that is removed below.
  await Bun.sleep(300);
  first.discard();
  await read("holds");
  expect(existsSync(`${file}.lock`)).toBe(true);
  expect(() => lockDatabase(file)).toThrow("in use by another accountd");
});

test("a lock file is for its owner only, also one of an earlier version", () => {
  const file = temporaryFile("accountd.db");
  const mode = () => (statSync(`${file}.lock`).mode & 0o777).toString(8);
  const umask = process.umask(0o022);
  try {
    const lock = lockDatabase(file);
    expect(mode()).toBe("600");
    lock.release();
    chmodSync(`${file}.lock`, 0o644);
    lockDatabase(file).release();
    expect(mode()).toBe("600");
  } finally {
    process.umask(umask);
  }
});
