import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

test("a filtered total follows every kind of write", async () => {
  const { call } = await world();
  const total = async (query: string) =>
    (await call("GET", `/api/v1/${query}&pageSize=1`)).body.pagination.total as number;
  const totals = () =>
    Promise.all([
      total("accounts?mrr[gte]=10"),
      total("accounts?contactActivityAt[gte]=2025-01-01"),
      total("accounts?attributes.plan=pro"),
      total("contacts?updatedAt[gte]=2025-01-01"),
    ]);
  const created = await call("POST", "/api/v1/accounts", {
    name: "A",
    mrr: 5,
    externalId: "a",
    contactName: "C",
    contactEmail: "c@example.com",
  });
  const path = `/api/v1/accounts/${created.body.data.id}`;
  expect(await totals()).toEqual([0, 0, 0, 1]);
  await call("PATCH", path, { mrr: 10 });
  expect(await totals()).toEqual([1, 0, 0, 1]);
  await call("PATCH", path, { attributes: { plan: "pro" } });
  expect(await totals()).toEqual([1, 0, 1, 1]);
  await call("POST", "/api/v1/last-seen", {
    items: [{ externalId: "a", contactEmail: "c@example.com", source: "app", lastSeenAt: "2026-01-01" }],
  });
  expect(await totals()).toEqual([1, 1, 1, 1]);
  await call("POST", "/api/v1/accounts/batch", { accounts: [{ externalId: "b", name: "B", mrr: 20 }] });
  expect(await totals()).toEqual([2, 1, 1, 1]);
  await call("DELETE", path);
  expect(await totals()).toEqual([1, 0, 0, 0]);
});
