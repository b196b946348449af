import { expect, test } from "bun:test";
import { linkSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { engineErrorCode, isDiskFailure } from "../../db/errors.ts";
import { type Engine, openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";

const now = 1_000;

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([work]);
  return result?.status === "rejected" ? result.reason : undefined;
}

async function expectGone(store: Engine): Promise<void> {
  for (const error of [
    await failureOf(createOrganization(store, "Late", now)),
    await failureOf(store.ping()),
  ]) {
    expect(engineErrorCode(error)).toBe("DATABASE_GONE");
    expect(String(error)).toMatch(/\/accountd\.db was removed or replaced\.$/);
    expect(isDiskFailure(error)).toBe(true);
  }
}

test("a database that was deleted while it was open takes no change and is not ready; none is made anew", async () => {
  const file = temporaryFile("accountd.db");
  const store = openDatabase(file, { now, create: true });
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  await expectGone(store);
  await store.close();
  expect(await Bun.file(file).exists()).toBe(false);
});

test("a database that another was put in the place of takes no change, and neither does the other", async () => {
  const file = temporaryFile("accountd.db");
  const store = openDatabase(file, { now, create: true });
  const other = temporaryFile("other.db");
  const made = openDatabase(other, { now, create: true });
  await createOrganization(made, "Other", now);
  await made.close();
  renameSync(other, file);
  await expectGone(store);
  await store.close();
  const opened = openDatabase(file, { now });
  expect((await listOrganizations(opened)).map(({ name }) => name)).toEqual(["Other"]);
  await opened.close();
});

test("a file that has a second name is not served, for by that it could be served twice", async () => {
  const file = temporaryFile("accountd.db");
  const other = temporaryFile("other.db");
  await openDatabase(file, { now, create: true }).close();
  linkSync(file, other);
  for (const name of [file, other])
    expect(() => openDatabase(name, { now, exclusive: true })).toThrow(`${name} has a hard link`);
  rmSync(other);
  await openDatabase(file, { now, exclusive: true }).close();
});

test("no database is made in the place of a link that leads nowhere", () => {
  const link = temporaryFile("accountd.db");
  symlinkSync(`${link}.elsewhere`, link);
  expect(() => openDatabase(link, { now, create: true })).toThrow(`${link} is a link that leads nowhere.`);
});

test("one file has one lock, by whichever link it is reached", async () => {
  const file = temporaryFile("accountd.db");
  const link = temporaryFile("link.db");
  const store = openDatabase(file, { now, create: true, exclusive: true });
  symlinkSync(file, link);
  expect(() => openDatabase(link, { now, exclusive: true })).toThrow("in use by another accountd");
  await store.close();
  await openDatabase(link, { now, exclusive: true }).close();
});
