import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folder, output, run } from "../binary/binary.ts";
import { emptyDatabase } from "./database.ts";

setDefaultTimeout(60_000);

const root = join(import.meta.dir, "../..");

test("With PostgreSQL, import and export work on the database itself", async () => {
  const cwd = folder();
  const settings = { cwd, env: { DATABASE_URL: await emptyDatabase() } };
  await output(["organizations", "create", "Acme"], settings);
  copyFileSync(join(root, "src/quickstart/sp500.csv"), join(cwd, "sp500.csv"));
  const map = "Symbol=externalId,Security=name,GICS Sector=attributes.sector";
  const importFile = ["import", "sp500.csv", "--organization", "Acme", "--map", map];
  const summary = (counts: string) => `503 lines of accounts: ${counts}, 0 rejected.`;
  expect(await output(importFile, settings)).toBe(summary("503 created, 0 updated, 0 unchanged"));
  expect(await output(importFile, settings)).toBe(summary("0 created, 0 updated, 503 unchanged"));
  const exported = await output(["export", "--organization", "Acme"], settings);
  expect(exported.split("\n")).toHaveLength(504);
  writeFileSync(join(cwd, "exported.csv"), exported);
  expect(await output(["import", "exported.csv", "--organization", "Acme"], settings)).toBe(
    summary("0 created, 0 updated, 503 unchanged"),
  );
  expect((await run(["import", "sp500.csv", "--organization", "Nobody", "--map", map], settings)).code).toBe(
    2,
  );
});
