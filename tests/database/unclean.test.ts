import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { closeSync, copyFileSync, openSync, statSync, writeSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase, pragma } from "./files.ts";

test("after an unclean shutdown the committed changes are stored", async () => {
  const file = await newDatabase(["Before"]);
  const copy = temporaryFile("accountd.db");
  const running = openDatabase(file, { clock, isExclusive: true });
  await createOrganization(running, "In the WAL alone");
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
  await running.close();
  const reopened = openDatabase(copy, { clock, isExclusive: true });
  expect((await listOrganizations(reopened)).map(({ name }) => name)).toEqual(["Before", "In the WAL alone"]);
  await reopened.close();
});

test("a damaged file is rejected after an unclean shutdown", async () => {
  const file = await newDatabase(
    Array.from({ length: 300 }, (_, i) => `Organization ${i} ${"x".repeat(100)}`),
  );
  const copy = temporaryFile("accountd.db");
  const running = openDatabase(file, { clock, isExclusive: true });
  await createOrganization(running, "In the WAL");
  for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
  await running.close();
  damage(copy);
  expect(() => openDatabase(copy, { clock, isExclusive: true })).toThrow("damaged");
});

/** Overwrites the pages of the organizations' names, which are not read at a clean start. */
function damage(file: string): void {
  const client = new Database(file, { readonly: true });
  const size = Number(pragma(client, "page_size"));
  const pages = Number(pragma(client, "page_count"));
  client.close();
  const descriptor = openSync(file, "r+");
  const garbage = new Uint8Array(size).fill(0xab);
  for (let page = pages - 8; page < pages; page += 1) writeSync(descriptor, garbage, 0, size, page * size);
  closeSync(descriptor);
}
