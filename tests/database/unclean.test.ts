import { expect, test } from "bun:test";
import { copyFileSync, statSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";

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
