import { expect, test } from "bun:test";
import { migrations } from "../../db/postgres/migrations/list.ts";
import { findFaults } from "../../db/postgres/storage.ts";
import { connection, emptyDatabase, engineOn } from "./database.ts";

/** The first migrations, without those of the sums. */
const before = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name.endsWith("usage_sums")),
);

test("an upgrade computes the sums of usage and the last scores by day", async () => {
  const url = await emptyDatabase();
  await (await engineOn(url, { migrations: before, canMigrate: true })).close();
  const sql = connection(url);
  await sql
    .unsafe(
      `insert into organizations (id, name, folded_name, created_at) values (1, 'a', 'a', 0);
    insert into accounts (id, organization_id, name, folded_name, mrr, status, created_at, updated_at, score, tier, coverage, rank)
      values (1, 1, 'a', 'a', 0, 'active', 0, 432000000, 89.9, 'healthy', 1, 89.9), (2, 1, 'b', 'b', 0, 'active', 0, 0, 90, 'healthy', 1, 90),
        (3, 1, 'c', 'c', 0, 'active', 0, 0, null, null, 0, 101);
    insert into account_counts values (1, 'active', 'healthy', 2, 0, 0), (1, 'active', 'none', 1, 0, 0);
    insert into usage_days values
      (1, 1, 20000, 'a', 5, 2, 'u1', 1, 2), (1, 2, 20000, 'a', 3, 2, 'u2', 1, 2), (1, 1, 20002, 'a', 7, 4, null, 1, 2);
    insert into usage_users values (1, 1, 20000, 'a', 'u2'), (1, 2, 20000, 'a', 'u3')`,
    )
    .simple();
  await engineOn(url, { canMigrate: true });
  const rows = async (table: string) =>
    (await sql.unsafe(`select * from ${table} order by 1, 2, 3`).values()).map((row: unknown[]) =>
      row.map((value) => (typeof value === "bigint" ? Number(value) : value)),
    );
  expect(await rows("usage_sums")).toEqual([
    [1, 20_000, "a", 8, 3, 2],
    [1, 20_002, "a", 7, 4, 1],
  ]);
  expect(await rows("usage_sum_users")).toHaveLength(3);
  expect(await rows("health_days")).toEqual([
    [1, 1, 5, 89.9, "healthy"],
    [1, 2, 0, 90, "healthy"],
  ]);
  expect(await findFaults(sql, 20_003)).toEqual([]);
});

test("an upgrade makes every score stale when their rule changes", async () => {
  const url = await emptyDatabase();
  const length = migrations.findIndex(({ name }) => name.endsWith("declined_requests"));
  await (await engineOn(url, { migrations: migrations.slice(0, length), canMigrate: true })).close();
  const sql = connection(url);
  await sql
    .unsafe(
      `insert into organizations (id, name, folded_name, created_at) values (1, 'a', 'a', 0);
    insert into accounts (id, organization_id, name, folded_name, mrr, status, created_at, updated_at, score_stale_at)
      values (1, 1, 'a', 'a', 0, 'active', 0, 0, null), (2, 1, 'b', 'b', 0, 'active', 0, 0, 77),
        (3, 1, 'c', 'c', 0, 'active', 0, 0, 0);
    insert into account_counts values (1, 'active', 'none', 3, 0, 0)`,
    )
    .simple();
  await engineOn(url, { canMigrate: true });
  const staleAt = await sql.unsafe("select score_stale_at from accounts order by id").values();
  expect(staleAt.map((row: unknown[]) => row.map(Number))).toEqual([[0], [0], [0]]);
  expect(await findFaults(sql, 20_003)).toEqual([]);
});
