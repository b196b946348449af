import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const pathOf = (externalId: string) => `${accounts}/external/${encodeURIComponent(externalId)}`;

test("PATCH may change or clear externalId; only the new value finds the account", async () => {
  const { account, call } = await world();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const get = (externalId: string) => call("GET", pathOf(externalId));
  const changed = async (from: string, externalId: string | null) =>
    (await call("PATCH", pathOf(from), { externalId })).body.data.externalId;
  expect(await changed("acme", "acme-2")).toBe("acme-2");
  expect([(await get("acme")).status, (await get("acme-2")).body.data.id]).toEqual([404, id]);
  for (const none of [null, ""]) {
    expect(await changed("acme-2", none)).toBeNull();
    expect((await get("acme-2")).status).toBe(404);
    const { data } = (await call("PATCH", `${accounts}/${id}`, { externalId: "acme-2" })).body;
    expect(data.externalId).toBe("acme-2");
  }
});

test("the 404 mentions the externalId, and is the same for GET, PATCH and DELETE", async () => {
  const { call } = await world();
  const replies = [
    await call("GET", pathOf("nobody")),
    await call("PATCH", pathOf("nobody"), { mrr: 1 }),
    await call("DELETE", pathOf("nobody")),
  ];
  for (const { body } of replies)
    expect(body).toEqual({
      type: "urn:accountd:problem:not_found",
      title: "Not found",
      status: 404,
      detail: "There is no account with this externalId in your organization.",
      code: "not_found",
    });
});
