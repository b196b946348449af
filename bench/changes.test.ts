import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDatabase } from "../db/sqlite/storage.ts";
import { bytesOfChange, changesPerAccount, fillChanges } from "./changes.ts";

test("the changes of the fill are numbered without gaps, and the database is intact", async () => {
  const folder = mkdtempSync(join(tmpdir(), "accountd-bench-"));
  const file = join(folder, "accountd.db");
  try {
    expect(await bytesOfChange(file)).toBeWithin(100, 500);
    const accounts = 250;
    await fillChanges(file, { id: 1, accounts, firstAccountId: 2_000 });
    const database = new Database(file, { readonly: true });
    const counted = database
      .query("SELECT resource || '.' || action, count(*) FROM changes WHERE account_id >= 2000 GROUP BY 1")
      .values();
    const ends = database.query("SELECT min(sequence), max(sequence) FROM changes").values();
    database.close();
    expect(counted).toEqual([
      ["account.created", accounts],
      ["account.health_changed", accounts],
      ["account.updated", 6 * accounts],
      ["contact.created", 2 * accounts],
    ]);
    expect(ends).toEqual([[1, changesPerAccount * (1_000 + accounts)]]);
    expect(checkDatabase(file, { firstCompleteDay: 0 })).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
