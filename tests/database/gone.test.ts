import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { errorCode, isStorageFailure } from "../../db/errors.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([work]);
  return result?.status === "rejected" ? result.reason : undefined;
}

async function expectReplaced(engine: Engine): Promise<void> {
  for (const error of [await errorOf(createOrganization(engine, "Late")), await errorOf(engine.ping())]) {
    expect(errorCode(error)).toBe("DATABASE_REPLACED");
    expect(String(error)).toMatch(/\/accountd\.db was removed or replaced\.$/);
    expect(isStorageFailure(error)).toBe(true);
  }
}

test.concurrent("if the open database is deleted, writes and pings fail, and no new file is created", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  await expectReplaced(engine);
  await engine.close();
  expect(await Bun.file(file).exists()).toBe(false);
});

test.concurrent("if the open database is replaced, writes and pings fail, and the other file is not changed", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, canCreate: true });
  const other = temporaryFile("other.db");
  const replacement = openDatabase(other, { clock, canCreate: true });
  await createOrganization(replacement, "Other");
  await replacement.close();
  renameSync(other, file);
  await expectReplaced(engine);
  await engine.close();
  const opened = openDatabase(file, { clock });
  expect((await listOrganizations(opened)).map(({ name }) => name)).toEqual(["Other"]);
  await opened.close();
});

test.concurrent("a file that has a hard link is not opened, not even by a command, and no file is created next to it", async () => {
  const file = temporaryFile("accountd.db");
  const other = temporaryFile("other.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  linkSync(file, other);
  for (const name of [file, other])
    for (const isExclusive of [false, true])
      expect(() => openDatabase(name, { clock, isExclusive })).toThrow(`${name} has a hard link`);
  expect(readdirSync(dirname(other))).toEqual(["other.db"]);
  rmSync(other);
  await openDatabase(file, { clock, isExclusive: true }).close();
});

test.concurrent.each([true, false])(
  "a hard link to a served file is refused and no file is created next to it: isExclusive %p",
  async (isExclusive) => {
    const file = temporaryFile("accountd.db");
    const other = temporaryFile("other.db");
    const engine = openDatabase(file, { clock, canCreate: true, isExclusive: true });
    linkSync(file, other);
    expect(() => openDatabase(other, { clock, isExclusive })).toThrow(`${other} has a hard link`);
    expect(["-wal", "-shm", ".lock"].filter((suffix) => existsSync(other + suffix))).toEqual([]);
    await createOrganization(engine, "First");
    await engine.close();
  },
);

test.concurrent("no database is created in place of a symbolic link to a file that does not exist", () => {
  const link = temporaryFile("accountd.db");
  symlinkSync(`${link}.elsewhere`, link);
  expect(() => openDatabase(link, { clock, canCreate: true })).toThrow(
    `${link} is a symbolic link to a file that does not exist.`,
  );
});

test.concurrent("a file has one lock, whichever link is opened", async () => {
  const file = temporaryFile("accountd.db");
  const link = temporaryFile("link.db");
  const engine = openDatabase(file, { clock, canCreate: true, isExclusive: true });
  symlinkSync(file, link);
  expect(() => openDatabase(link, { clock, isExclusive: true })).toThrow("in use by another accountd");
  await engine.close();
  await openDatabase(link, { clock, isExclusive: true }).close();
});

test.concurrent.each([
  ["removed", (wal: string) => rmSync(wal)],
  [
    "replaced",
    (wal: string) => {
      copyFileSync(wal, `${wal}.copy`);
      renameSync(`${wal}.copy`, wal);
    },
  ],
])(
  "a database whose WAL is %s takes no change and is not ready; a close stores what was acknowledged",
  async (_, lose) => {
    const file = temporaryFile("accountd.db");
    const engine = openDatabase(file, { clock, canCreate: true, isExclusive: true });
    await createOrganization(engine, "Acknowledged");
    lose(`${file}-wal`);
    for (const error of [await errorOf(createOrganization(engine, "Late")), await errorOf(engine.ping())]) {
      expect(errorCode(error)).toBe("DATABASE_REPLACED");
      expect(String(error)).toMatch(/\/accountd\.db-wal was removed or replaced\.$/);
      expect(isStorageFailure(error)).toBe(true);
    }
    expect((await listOrganizations(engine)).map(({ name }) => name)).toEqual(["Acknowledged"]);
    await engine.close();
    const opened = openDatabase(file, { clock });
    expect((await listOrganizations(opened)).map(({ name }) => name)).toEqual(["Acknowledged"]);
    await opened.close();
  },
);

test.concurrent("a WAL that a checkpoint truncates, and a write connection that was opened again, keep the database in use", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  // The WAL of the server does not exist before its first statement.
  expect(existsSync(`${file}-wal`)).toBe(false);
  const engine = openDatabase(file, { clock, isExclusive: true });
  const failing = engine.write(0, async () => {
    throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
  });
  expect(errorCode(await errorOf(failing))).toBe("SQLITE_IOERR");
  await createOrganization(engine, "First");
  const other = new Database(file);
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statSync(`${file}-wal`).size).toBe(0);
  other.close();
  await createOrganization(engine, "Second");
  await engine.ping();
  expect((await listOrganizations(engine)).length).toBe(2);
  await engine.close();
});

test.concurrent("a server whose lock file was removed takes no change and is not ready", async () => {
  const file = temporaryFile("accountd.db");
  const first = openDatabase(file, { clock, canCreate: true, isExclusive: true });
  await createOrganization(first, "First");
  rmSync(`${file}.lock`);
  const second = openDatabase(file, { clock, isExclusive: true });
  await createOrganization(second, "Second");
  for (const error of [await errorOf(createOrganization(first, "Late")), await errorOf(first.ping())]) {
    expect(errorCode(error)).toBe("DATABASE_REPLACED");
    expect(String(error)).toMatch(/\/accountd\.db\.lock was removed or replaced\.$/);
  }
  await first.close();
  await second.ping();
  await second.close();
});
