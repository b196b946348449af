import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../db/sqlite/engine.ts";
import { checkDatabase } from "../db/sqlite/storage.ts";
import { fillAttributes } from "./attributes.ts";

test("the attributes of the fill are those that the service would have stored", async () => {
  const folder = mkdtempSync(join(tmpdir(), "accountd-bench-"));
  const file = join(folder, "accountd.db");
  try {
    await openDatabase(file, { clock: () => 0, canCreate: true }).close();
    const database = new Database(file);
    for (const id of [1, 2]) {
      database.run("INSERT INTO organizations (id, name, folded_name, created_at) VALUES (?1, ?1, ?1, 0)", [
        id,
      ]);
      for (let i = 0; i < 3; i += 1)
        database.run(
          "INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at) VALUES (?, 'A', 'a', 0, 'active', 0, 0)",
          [id],
        );
    }
    const before = checkDatabase(file, { firstCompleteDay: 0 });
    fillAttributes(database, 1);
    database.close();
    expect(checkDatabase(file, { firstCompleteDay: 0 })).toEqual(before);
    const counted = new Database(file)
      .query("SELECT name, count FROM attribute_names ORDER BY name")
      .values();
    expect(counted).toEqual([
      ["plan", 3],
      ["seats", 3],
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
