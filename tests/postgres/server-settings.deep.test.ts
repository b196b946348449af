import { expect, test } from "bun:test";
import { accountResource } from "../../src/accounts/resource.ts";
import { createAccount } from "../../src/accounts/store.ts";
import { TenantSnapshot, TenantTransaction } from "../../src/core/tenant/transaction.ts";
import { reactions } from "../../src/reactions.ts";
import { contentOf, copy, runSql } from "../copy/copy-world.ts";
import { temporaryFile } from "../support/world.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";

const numbers = [0.1 + 0.2, Number.MAX_VALUE, 5e-324];

/** A database with an account for each number, whose settings round the numbers of results. */
async function roundingDatabase(): Promise<string> {
  const url = await migratedDatabase();
  const sql = connection(url);
  await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set extra_float_digits = 0`);
  const engine = await engineOn(url);
  const caller = { organizationId: 1, actor: { type: "cli" as const }, requestId: null };
  for (const [i, mrr] of numbers.entries())
    await engine.write(1, async (tx) => {
      const tenantTx = new TenantTransaction(tx, caller, reactions);
      await createAccount(tenantTx, { name: "Acme", externalId: `${i}`, mrr });
      await tenantTx.writeLate();
    });
  const [row] = await connection(url)`select mrr::text as text from accounts order by id limit 1`;
  expect(row.text).toBe("0.3");
  return url;
}

test.each([true, false])(
  "extra_float_digits of the database rounds no number that a server reads; DATABASE_PREPARE=%p",
  async (prepare) => {
    const engine = await engineOn(await roundingDatabase(), { connections: { prepare } });
    const read = await engine.read((snapshot) =>
      Promise.all(numbers.map((_, i) => accountResource.find(new TenantSnapshot(snapshot, 1), `${i}`))),
    );
    expect(read.map((account) => account?.mrr)).toEqual(numbers);
  },
);

test("extra_float_digits of the database rounds no number of a copy", async () => {
  const url = await roundingDatabase();
  const file = temporaryFile("copy.db");
  expect((await copy(url, file)).differing).toEqual([]);
  const stored = await runSql(file, "SELECT mrr FROM accounts ORDER BY id");
  expect(stored.flat()).toEqual(numbers);
  expect((await contentOf(file)).accounts).toHaveLength(numbers.length);
});
