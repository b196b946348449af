import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { accountd, contentOf, copy, newFile, newUrl, runSql, sourceWorld, useServer } from "./copy-world.ts";

const engines = ["PostgreSQL", "SQLite"] as const;
const batchRows = 3;

let stop = async () => {};
beforeAll(async () => {
  stop = await useServer();
});
afterAll(() => stop());

const newTarget = async (engine: (typeof engines)[number]) => (engine === "SQLite" ? newFile() : newUrl());

/** Kills a copy in its own process after it has read so many rows. */
async function killCopy(from: string, to: string, rows: number): Promise<void> {
  const script = `${import.meta.dir}/killed-copy.ts`;
  const child = Bun.spawn([process.execPath, script, from, to, String(rows)], { stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
  if (to.startsWith("postgres:")) await waitForUnlock(to);
}

/** A server releases the locks of a killed process as soon as it sees that the connection is closed. */
async function waitForUnlock(url: string): Promise<void> {
  const locks = `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND datname = current_database()`;
  for (let attempt = 0; attempt < 200; attempt++) {
    if (Number((await runSql(url, locks))[0]?.[0]) === 0) return;
    await Bun.sleep(50);
  }
  throw new Error("the killed copy has a lock for more than ten seconds");
}

/** The tables, indexes and constraints of a PostgreSQL database. */
async function definitionsOf(url: string): Promise<unknown[]> {
  const rows = await runSql(
    url,
    `SELECT tablename FROM pg_tables WHERE schemaname = 'public' UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
     UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || convalidated || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0`,
  );
  return rows.map(([text]) => text).sort();
}

async function countStored(target: string): Promise<number> {
  const [row] = await runSql(target, "SELECT sum(row_count) FROM unfinished_copy");
  return Number(row?.[0]);
}

test.each(engines)("a copy to %s that was killed twice is continued, and equal", async (engine) => {
  const { file } = await sourceWorld();
  const expected = await contentOf(file);
  const target = await newTarget(engine);
  await killCopy(file, target, 20);
  const first = await countStored(target);
  expect(first).toBeGreaterThan(5);
  await killCopy(file, target, 60);
  expect(await countStored(target)).toBeGreaterThan(first);
  const others = [["serve", "--port", "0"], ["check"], ["organizations", "create", "New"]];
  for (const words of [...others, ["migrate"], ["migrate", "--status"]]) {
    const { exitCode, stderr } = await accountd(...words, "--database", target);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/target of a copy that did not finish\. Run the same accountd copy again\.\n$/),
    ]);
  }
  const written: string[] = [];
  const { differing } = await copy(file, target, { batchRows, onTable: (name) => void written.push(name) });
  expect(differing).toEqual([]);
  expect(written.length).toBe(Object.keys(expected).length);
  expect(await contentOf(target)).toEqual(expected);
  if (engine === "PostgreSQL") {
    const fresh = await newUrl();
    await accountd("migrate", "--database", fresh);
    expect((await definitionsOf(fresh)).length).toBeGreaterThan(50);
    expect(await definitionsOf(target)).toEqual(await definitionsOf(fresh));
  }
});

test("a source that has changed in copied rows is found when a copy is continued", async () => {
  const { file } = await sourceWorld();
  const target = newFile();
  await killCopy(file, target, 40);
  await runSql(file, "UPDATE organizations SET name = 'Renamed' WHERE id = 1");
  await expect(copy(file, target, { batchRows })).rejects.toThrow(
    "The source has changed in organizations since the copy was begun. Start again with an empty target.",
  );
});

test("rows that are new in tables that were not copied are in a copy that is continued", async () => {
  const { file } = await sourceWorld();
  const url = await newUrl();
  await killCopy(file, url, 20);
  expect(await runSql(url, "SELECT * FROM last_seen")).toEqual([]);
  await runSql(
    file,
    "INSERT INTO last_seen SELECT organization_id, account_id, 'later', 1 FROM last_seen LIMIT 1",
  );
  expect((await copy(file, url, { batchRows })).differing).toEqual([]);
  expect(await contentOf(url)).toEqual(await contentOf(file));
});

test.each(engines)(
  "a row that has changed in the target %s is found: exit code 1, and the target stays unfinished",
  async (engine) => {
    const { file } = await sourceWorld();
    const target = await newTarget(engine);
    const { differing } = await copy(file, target, {
      onTable: async (name) => {
        if (name === "contacts") await runSql(target, "UPDATE contacts SET name = name || ' ' WHERE id = 1");
      },
    });
    expect(differing).toEqual(["contacts"]);
    const again = await accountd("copy", "--from", file, "--to", target, "--json");
    expect(again.exitCode).toBe(1);
    expect(JSON.parse(again.stderr)).toEqual({
      error: {
        code: "copy_differs",
        message: "The copy differs from the source in contacts. Start again with an empty target.",
      },
    });
    expect((await accountd("organizations", "list", "--database", target)).stderr).toContain(
      "did not finish",
    );
  },
);

test.each(engines)("a target with data is refused and left as it is: %s", async (engine) => {
  const { file } = await sourceWorld();
  const target = await newTarget(engine);
  await accountd("organizations", "create", "Existing", "--database", target);
  const before = await contentOf(target);
  const { exitCode, stdout, stderr } = await accountd("copy", "--from", file, "--to", target);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(/has data\. Name a database without data with --to\.\n$/);
  expect(await contentOf(target)).toEqual(before);
});

test("a target that a server uses is refused", async () => {
  const { file } = await sourceWorld();
  const url = await newUrl();
  await accountd("migrate", "--database", url);
  await runSql(
    url,
    "INSERT INTO leases VALUES ('jobs', 'a server', clock_timestamp() + interval '10 seconds')",
  );
  await expect(copy(file, url)).rejects.toThrow("is in use by another accountd. Stop it first.");
});

test("the command prints a line for each table, or JSON, and no password", async () => {
  const { file } = await sourceWorld();
  const url = new URL(await newUrl());
  url.password = "secret-word";
  const first = await accountd("copy", "--from", file, "--to", url.href);
  expect([first.exitCode, first.stderr]).toEqual([0, expect.stringContaining("organizations: 4 rows\n")]);
  expect(first.stderr.trimEnd().split("\n")).toHaveLength(Object.keys(await contentOf(file)).length);
  const target = newFile();
  const second = await accountd("copy", "--from", url.href, "--to", target, "--json");
  expect([second.exitCode, second.stderr]).toEqual([0, ""]);
  const { from, to, rows, tables } = JSON.parse(second.stdout);
  expect([from, to, tables.organizations]).toEqual([expect.stringMatching(/^postgres:/), target, 4]);
  expect(rows).toBe(Object.values(await contentOf(file)).flat().length);
  url.port = "1";
  const failed = await accountd("copy", "--from", url.href, "--to", newFile());
  expect(failed.exitCode).toBe(1);
  for (const { stdout, stderr } of [first, second, failed])
    expect(stdout + stderr).not.toContain("secret-word");
});

test("a missing source or option is an error, and no target is created", async () => {
  const target = newFile();
  const missing = await accountd("copy", "--from", newFile(), "--to", target);
  expect([missing.exitCode, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/^There is no database at \S+\. Name another with --from\.\n$/),
  ]);
  expect(existsSync(target)).toBe(false);
  expect((await accountd("copy", "--from", target)).stderr).toMatch(/^--to FILE\|URL is missing\.\n/);
  const other = await accountd("copy", "--from", "mysql://x/y", "--to", target);
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringMatching(/^--from must be a path/)]);
});
