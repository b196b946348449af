import { expect, setDefaultTimeout, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { storeKey } from "../support/keys.ts";
import { engineOn, migratedDatabase, withSql } from "./database.ts";

setDefaultTimeout(60_000);

test("Batches of accounts in a new database do not read all rows of the organization", async () => {
  const database = await migratedDatabase();
  const engine = await engineOn(database);
  const { secret } = await storeKey(engine, { organizationId: 1, name: "", expiresAt: null });
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  const app = createApp({ engine, jobs, log: { info() {}, error() {} } });
  for (let start = 0; start < 20_000; start += 200) {
    const ids = Array.from({ length: 200 }, (_, i) => `${start + i}`);
    const request = new Request("http://localhost/api/v1/accounts/batch", {
      method: "POST",
      headers: { "x-api-key": secret, "content-type": "application/json" },
      body: JSON.stringify({ accounts: ids.map((externalId) => ({ externalId, name: "Account" })) }),
    });
    expect((await app.fetch(request)).status).toBe(200);
  }
  await engine.close();
  expect(await countReadAccounts(database)).toBeLessThan(300_000);
});

/** The rows of accounts that were read so far. Closed connections have reported theirs. */
function countReadAccounts(database: string): Promise<number> {
  return withSql(database, async (sql) => {
    const [row] = await sql`select sum(idx_tup_read) + max(seq_tup_read) as count
      from pg_stat_user_indexes join pg_stat_user_tables using (relid) where relid = 'accounts'::regclass`;
    return Number(row.count);
  });
}
