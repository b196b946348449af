import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { copyDatabaseFile } from "../../db/sqlite/backup/copy-file.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { temporaryFile } from "../support/world.ts";

/** Rows that are all written by each transaction, so that a copy of two of them shows. */
const rowCount = 2_000;

function openWithRows(file: string): { client: Database; writeAll: () => void } {
  const client = new Database(file);
  closeAfterTest(async () => client.close());
  client.run("PRAGMA journal_mode = WAL");
  client.run("PRAGMA wal_autocheckpoint = 0");
  client.run("CREATE TABLE rows (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)");
  const insert = client.prepare("INSERT INTO rows VALUES (?, 0, ?)");
  client.transaction(() => {
    for (let id = 0; id < rowCount; id += 1) insert.run(id, "x".repeat(1_500));
  })();
  return { client, writeAll: () => client.run("UPDATE rows SET number = number + 1") };
}

function numbersIn(file: string): unknown[] {
  const copy = new Database(file, { readonly: true });
  const [[check]] = copy.query("PRAGMA integrity_check").values() as [[string]];
  const numbers = copy.query("SELECT DISTINCT number FROM rows").values().flat();
  copy.close();
  return [check, ...numbers];
}

for (const checkpoint of ["PASSIVE", "RESTART", "TRUNCATE"])
  for (const isInFile of [true, false])
    test(`a copy is one state, with ${checkpoint} checkpoints during it, and the rows ${isInFile ? "in the file" : "in the WAL"} before`, () => {
      const file = temporaryFile("source.db");
      const target = `${file}.copy`;
      const { client, writeAll } = openWithRows(file);
      client.run("PRAGMA wal_checkpoint(TRUNCATE)");
      writeAll();
      if (isInFile) client.run("PRAGMA wal_checkpoint(RESTART)");
      let steps = 0;
      copyDatabaseFile(file, target, {
        onProgress: () => {
          steps += 1;
          writeAll();
          client.run(`PRAGMA wal_checkpoint(${checkpoint})`);
        },
      });
      expect(steps).toBeGreaterThan(2);
      const [check, number, ...others] = numbersIn(target);
      expect([check, others]).toEqual(["ok", []]);
      expect(number).toBeGreaterThanOrEqual(1);
      expect(number).toBeLessThanOrEqual(steps + 1);
      for (const suffix of ["-wal", "-shm", "-journal"]) expect(existsSync(target + suffix)).toBe(false);
      expect(statSync(target).mode & 0o777).toBe(0o600);
      writeAll();
      expect(numbersIn(file)).toEqual(["ok", steps + 2]);
    });

test("a copy ends when the WAL grows beyond its limit, and leaves no file", () => {
  const file = temporaryFile("source.db");
  const { client, writeAll } = openWithRows(file);
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const options = { maxWalBytes: 2_000_000, onProgress: writeAll };
  expect(() => copyDatabaseFile(file, `${file}.copy`, options)).toThrow(/-wal has grown to 2000000 bytes/);
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    expect(existsSync(`${file}.copy${suffix}`)).toBe(false);
});
