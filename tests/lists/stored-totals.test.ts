import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

test("totals of status and tier lists are those of the rows, alone and with other filters", async () => {
  const { call, rows } = await world();
  const statuses = ["active", "active", "churned", "onboarding", "inactive", "inactive"];
  const accounts = statuses.map((status, i) => ({ externalId: `${i}`, name: `A${i}`, status, mrr: i }));
  await call("POST", "/api/v1/accounts/batch", { accounts });
  const counted = async (where: string) =>
    Number((await rows<{ n: number }>(`SELECT count(*) AS n FROM accounts WHERE ${where}`))[0]?.n);
  for (const [query, where] of [
    ["status=active,active", "status = 'active'"],
    ["status=churned,churned", "status = 'churned'"],
    ["status=active,churned", "status IN ('active', 'churned')"],
    ["status=inactive,onboarding,active", "status IN ('active', 'inactive', 'onboarding')"],
    ["tier=none", "tier IS NULL"],
    ["tier=healthy,none", "coalesce(tier, 'healthy') = 'healthy'"],
    ["tier=healthy", "tier = 'healthy'"],
    ["status=active&tier=none", "status = 'active' AND tier IS NULL"],
    [
      "status=active,inactive&tier=none,critical",
      "status IN ('active', 'inactive') AND coalesce(tier, 'critical') = 'critical'",
    ],
    ["status=active,inactive&mrr[gte]=1", "status IN ('active', 'inactive') AND mrr >= 1"],
    ["status=active,inactive&search=a1", "status = 'active' AND mrr = 1"],
    ["tier=none&externalId=3", "mrr = 3"],
  ]) {
    const { pagination, data } = (await call("GET", `/api/v1/accounts?${query}&pageSize=1`)).body;
    expect([query, pagination.total]).toEqual([query, await counted(where ?? "")]);
    expect([query, data.length]).toEqual([query, Math.min(1, pagination.total)]);
  }
  const health = (await call("GET", "/api/v1/health?tier=none,critical&pageSize=1")).body.pagination;
  expect(health.total).toBe(await counted("coalesce(tier, 'critical') = 'critical'"));
});
