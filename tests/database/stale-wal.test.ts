import { expect, test } from "bun:test";
import { copyFileSync, renameSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { checkDatabase, sqliteStorage } from "../../db/sqlite/storage.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";

const isCheckedWith = { firstCompleteDay: 0 };

/** A file that was replaced by a backup, with the WAL of the larger database that was there. */
async function withStaleWal(lastCount: number): Promise<string> {
  const backup = await newDatabase(["Backup"]);
  const old = await newDatabase(Array.from({ length: 400 }, (_, i) => `name ${i} ${"x".repeat(200)}`));
  const engine = openDatabase(old, { clock, isExclusive: true });
  for (let i = 0; i < lastCount; i += 1) await createOrganization(engine, `last ${i} ${"x".repeat(200)}`);
  const file = temporaryFile("accountd.db");
  copyFileSync(`${old}-wal`, `${file}-wal`);
  copyFileSync(backup, file);
  await engine.close();
  return file;
}

test.each([1, 100])(
  "a WAL of another file with %d writes is named as the cause of the damage",
  async (count) => {
    const file = await withStaleWal(count);
    const cause = `It is sound without ${file}-wal, so this WAL is probably of an older file`;
    expect(() => openDatabase(file, { clock, isExclusive: true })).toThrow(`${file} is damaged. ${cause}`);
    if (count > 1) {
      const faults = await sqliteStorage(file)
        .check(isCheckedWith)
        .catch((error: Error) => [error.message]);
      expect(faults[0]).toContain(cause);
    }
    renameSync(`${file}-wal`, `${file}.old-wal`);
    renameSync(`${file}-shm`, `${file}.old-shm`);
    expect(checkDatabase(file, isCheckedWith)).toEqual([]);
  },
);
