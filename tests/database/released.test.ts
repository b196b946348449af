import { expect, test } from "bun:test";
import { migrations } from "../../db/sqlite/migrations/list.ts";

/** The SHA-256 of each released migration. A database that ran it refuses another text: add the next migration. */
const released = {
  "0001_accounts": "eb8f254d6665e00bd524a433dab67402c626775cb5fcc6540821f2b6053cfd91",
  "0002_synchronised_lists": "d9ac881d6c1df7e57e04de2a83a82b404ccf59cc42d6e5f157b74f530cd37eb5",
  "0003_usage": "62143bdf874b53eee2f8f26fc92a72c72412906a332ed7a5f0b3acf609434ad3",
  "0004_health": "b215389b1bed21313fb79e3c42e11a27719afb2a5bf9c1315566d1a1bd3e8c11",
  "0005_account_statuses": "5fc9eba0faf08e0566204bc1b1a9daa3cde3aa4930cd7db6224297d65b5da873",
  "0006_lighter_writes": "f2be3417a218fd324e39e73452b84588e0b49875a663a2d6c62248745061d667",
};
/** Migrations of the next release. */
const unreleased = [
  "0007_scores_in_accounts",
  "0008_changes",
  "0009_idempotency_keys",
  "0010_key_scopes",
  "0011_row_versions",
  "0012_lists",
  "0013_attributes",
  "0014_organization_settings",
  "0015_usage_sums",
  "0016_health_days",
  "0017_sessions",
  "0018_persons",
  "0019_declined_requests",
  "0020_pending_erasures",
  "0021_clock_gaps",
  "0022_fewer_sums",
  "0023_settings",
  "0024_number_format",
  "0025_webhooks",
];

test("no released migration was edited, renamed or moved", () => {
  const hashes = migrations.map(({ name, sql }) => [
    name,
    new Bun.CryptoHasher("sha256").update(sql).digest("hex"),
  ]);
  expect(hashes.slice(0, -unreleased.length)).toEqual(Object.entries(released));
  expect(hashes.slice(-unreleased.length).map(([name]) => name)).toEqual(unreleased);
});
