import { expect, test } from "bun:test";
import { listKeys, revokeKey } from "../../src/api-keys/store.ts";
import { deleteOrganization } from "../../src/organizations/delete.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { emptyDatabase } from "./database.ts";
import { copyOn } from "./service-copy.ts";

/** Two copies on one database, the clock of the second one 30 s behind, and an organization with the account 1. */
async function twoCopies() {
  const url = await emptyDatabase();
  const first = await copyOn(url);
  const second = await copyOn(url, { clock: () => Date.now() - 30_000 });
  const { id, key } = await createOrganizationWithKey(first.engine, "Acme");
  await first.send(key, "POST", "/accounts", { name: "Acme" });
  return { first, second, copies: [first, second], id, key };
}

test.each([
  ["/accounts", { name: "Acme" }],
  ["/accounts/1/contacts", { name: "Ada" }],
  ["/accounts/1/meetings", { title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" }],
  ["/accounts/1/requests", { title: "SSO" }],
])("of eight concurrent creates on two copies with one externalId, one succeeds: %s", async (path, body) => {
  const { first, second, key } = await twoCopies();
  for (let race = 1; race <= 5; race += 1) {
    const externalId = `race ${race}`;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 === 0 ? first : second).send(key, "POST", path, { ...body, externalId }),
      ),
    );
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...new Array(7).fill(409)]);
    const query = `${path}?externalId=${encodeURIComponent(externalId)}`;
    for (const { send } of [first, second])
      expect((await send(key, "GET", query)).body.pagination.total).toBe(1);
  }
});

test("a change is read by the other copy at once, and updatedAt increases although one clock is behind", async () => {
  const { copies, key } = await twoCopies();
  let last = "";
  for (let mrr = 1; mrr <= 30; mrr += 1) {
    const [writer, reader] = mrr % 2 === 0 ? copies : copies.toReversed();
    const { updatedAt } = (await writer?.send(key, "PATCH", "/accounts/1", { mrr }))?.body.data ?? {};
    expect(updatedAt > last).toBe(true);
    last = updatedAt;
    expect((await reader?.send(key, "GET", "/accounts/1"))?.body.data).toMatchObject({ mrr, updatedAt });
  }
});

test("a revoked key and a deleted organization are refused by every copy at once", async () => {
  const { first, second, copies, id, key } = await twoCopies();
  const other = await createOrganizationWithKey(second.engine, "Globex");
  const statuses = (key: string) =>
    Promise.all(copies.map(async ({ send }) => (await send(key, "GET", "/accounts")).status));
  expect([await statuses(key), await statuses(other.key)]).toEqual([
    [200, 200],
    [200, 200],
  ]);
  const [{ id: keyId } = { id: 0 }] = await listKeys(second.engine, id);
  await revokeKey(second.engine, keyId);
  expect(await statuses(key)).toEqual([401, 401]);
  await deleteOrganization(first.engine, other.id);
  expect(await statuses(other.key)).toEqual([401, 401]);
});
