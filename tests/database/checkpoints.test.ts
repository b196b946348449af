import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync } from "node:fs";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { temporaryFile } from "../support/world.ts";
import { clock, newDatabase } from "./files.ts";

setDefaultTimeout(30_000);

/** The names of the organizations in a copy of the file alone. */
async function namesInCopy(file: string): Promise<string[]> {
  const copy = temporaryFile("copy.db");
  copyFileSync(file, copy);
  const engine = openDatabase(copy, { clock });
  const names = (await listOrganizations(engine)).map(({ name }) => name);
  await engine.close();
  return names;
}

test.concurrent("10 s after the last write, a copy of the file alone has it, also with a slow read meanwhile", async () => {
  const file = await newDatabase();
  const engine = openDatabase(file, { clock, isExclusive: true });
  const reader = new Database(file, { readonly: true });
  reader.run("BEGIN");
  reader.query("SELECT count(*) FROM organizations").get();
  await createOrganization(engine, "Acme");
  expect(await namesInCopy(file)).toEqual([]);
  await Bun.sleep(5_000);
  reader.close();
  await Bun.sleep(5_000);
  expect(await namesInCopy(file)).toEqual(["Acme"]);
  await createOrganization(engine, "Second");
  await engine.close();
});

test.concurrent("while writes go on, a copy of the file alone lacks only the writes of the last seconds", async () => {
  const file = await newDatabase();
  const engine = openDatabase(file, { clock, isExclusive: true });
  const end = Date.now() + 6_000;
  for (let i = 0; Date.now() < end; i += 1) {
    await createOrganization(engine, `name ${i}`);
    await Bun.sleep(50);
  }
  const stored = (await listOrganizations(engine)).length;
  expect((await namesInCopy(file)).length).toBeGreaterThan(stored / 2);
  await engine.close();
});
