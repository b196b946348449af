import { expect, test } from "bun:test";
import { linkSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
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

test("if the open database is deleted, writes and pings fail, and no new file is created", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, create: true });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  await expectReplaced(engine);
  await engine.close();
  expect(await Bun.file(file).exists()).toBe(false);
});

test("if the open database is replaced, writes and pings fail, and the other file is not changed", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock, create: true });
  const other = temporaryFile("other.db");
  const replacement = openDatabase(other, { clock, create: true });
  await createOrganization(replacement, "Other");
  await replacement.close();
  renameSync(other, file);
  await expectReplaced(engine);
  await engine.close();
  const opened = openDatabase(file, { clock });
  expect((await listOrganizations(opened)).map(({ name }) => name)).toEqual(["Other"]);
  await opened.close();
});

test("a file that has a hard link is not opened, not even by a command, and no file is created next to it", async () => {
  const file = temporaryFile("accountd.db");
  const other = temporaryFile("other.db");
  await openDatabase(file, { clock, create: true }).close();
  linkSync(file, other);
  for (const name of [file, other])
    for (const exclusive of [false, true])
      expect(() => openDatabase(name, { clock, exclusive })).toThrow(`${name} has a hard link`);
  expect(readdirSync(dirname(other))).toEqual(["other.db"]);
  rmSync(other);
  await openDatabase(file, { clock, exclusive: true }).close();
});

test("no database is created in place of a symbolic link to a file that does not exist", () => {
  const link = temporaryFile("accountd.db");
  symlinkSync(`${link}.elsewhere`, link);
  expect(() => openDatabase(link, { clock, create: true })).toThrow(
    `${link} is a symbolic link to a file that does not exist.`,
  );
});

test("a file has one lock, whichever link is opened", async () => {
  const file = temporaryFile("accountd.db");
  const link = temporaryFile("link.db");
  const engine = openDatabase(file, { clock, create: true, exclusive: true });
  symlinkSync(file, link);
  expect(() => openDatabase(link, { clock, exclusive: true })).toThrow("in use by another accountd");
  await engine.close();
  await openDatabase(link, { clock, exclusive: true }).close();
});
