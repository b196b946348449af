import { expect, test } from "bun:test";
import { checkDatabase } from "../../db/sqlite/storage.ts";
import { read } from "./families.ts";
import { databaseOfVersion, releasedVersion, upgrade } from "./versions.ts";

/** Days 20,000 to 20,002 of two accounts of one organization, and one of another. The users of day 20,002 are deleted. */
const usage = `
  INSERT INTO accounts VALUES (15, 1, 'Second', 'second', NULL, NULL, 0, 'active', NULL, NULL, 1, 1);
  UPDATE account_counts SET count = count + 1 WHERE organization_id = 1 AND status = 'active';
  INSERT INTO account_counts SELECT 1, 'active', 1
    WHERE NOT EXISTS (SELECT 1 FROM account_counts WHERE organization_id = 1 AND status = 'active');
  DELETE FROM usage_days; DELETE FROM usage_users; DELETE FROM events;
  DELETE FROM expiring_days; DELETE FROM unmatched_ids;
  INSERT INTO usage_days VALUES
    (1, 5, 20000, 'a', 5, 2, 'u1', 1, 2), (1, 15, 20000, 'a', 3, 2, 'u2', 1, 2),
    (1, 5, 20000, 'b', 2, 0, NULL, 1, 2), (1, 5, 20002, 'a', 7, 4, NULL, 1, 2), (1, 15, 20002, 'a', 3, 2, NULL, 1, 2),
    (2, 9, 20000, 'a', 1, 1, 'u1', 1, 2);
  INSERT INTO usage_users VALUES (1, 5, 20000, 'a', 'u2'), (1, 15, 20000, 'a', 'u3');`;

function valuesOf(file: string, sql: string): unknown[][] {
  return read<Record<string, unknown>>(file, sql).map((row) => Object.values(row));
}

test("an upgrade computes the sums of usage: a user of two accounts counts once, while the users are known", async () => {
  const file = await databaseOfVersion(releasedVersion, usage);
  await upgrade(file);
  const sums =
    "SELECT organization_id, day, event, count, users, account_count FROM usage_sums ORDER BY 1, 2, 3";
  expect(valuesOf(file, sums)).toEqual([
    [1, 20_000, "a", 8, 3, 2],
    [1, 20_000, "b", 2, 0, 1],
    [1, 20_002, "a", 10, 6, 2],
    [2, 20_000, "a", 1, 1, 1],
  ]);
  expect(valuesOf(file, "SELECT * FROM usage_sum_users ORDER BY 1, 2, 3, 4")).toEqual([
    [1, 20_000, "a", "u1", 1],
    [1, 20_000, "a", "u2", 2],
    [1, 20_000, "a", "u3", 1],
    [2, 20_000, "a", "u1", 1],
  ]);
  // The events were deleted: usage from before is not compared with them.
  expect(checkDatabase(file, { firstCompleteDay: 20_003 })).toEqual([]);
});

test("an upgrade stores the last scores by day", async () => {
  const scored = (id: number, score: number, tier: string, updatedAt: number) => `
    INSERT INTO accounts VALUES (${id}, 1, 'n', 'n', NULL, NULL, 0, 'active', NULL, NULL, 1, ${updatedAt});
    INSERT INTO account_health VALUES (1, ${id}, ${score}, '${tier}', 1, ${score}, 0, 'n', 0);`;
  const file = await databaseOfVersion(
    releasedVersion,
    scored(20, 100, "healthy", 1) +
      scored(21, 90, "healthy", 5 * 86_400_000) +
      scored(22, 89.9, "healthy", 1) +
      scored(23, 9.9, "critical", 1) +
      scored(24, 0, "critical", 1),
  );
  await upgrade(file);
  expect(valuesOf(file, "SELECT * FROM health_days ORDER BY account_id")).toEqual([
    [1, 20, 0, 100, "healthy"],
    [1, 21, 5, 90, "healthy"],
    [1, 22, 0, 89.9, "healthy"],
    [1, 23, 0, 9.9, "critical"],
    [1, 24, 0, 0, "critical"],
  ]);
});
