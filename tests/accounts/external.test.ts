import { expect, test } from "bun:test";
import { beginningText, world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const pathOf = (externalId: string) => `${accounts}/external/${encodeURIComponent(externalId)}`;

/** A world with the account `acme`, which has a contact, a meeting and a request. */
async function externalWorld() {
  const here = await world();
  const { id } = await here.account({ name: "Acme", externalId: "acme", contactName: "Ada" });
  const times = { startAt: "2026-01-01", endAt: "2026-01-01" };
  await here.call("POST", `${accounts}/${id}/meetings`, { title: "Kickoff", ...times });
  await here.call("POST", `${accounts}/${id}/requests`, { title: "SSO" });
  here.pass(1_000);
  return {
    ...here,
    id,
    get: (externalId: string) => here.call("GET", pathOf(externalId)),
    patch: (externalId: string, body: unknown) => here.call("PATCH", pathOf(externalId), body),
    byId: async () => (await here.call("GET", `${accounts}/${id}`)).body,
  };
}

test("PATCH updates the members that are sent, and replies as PATCH by id does", async () => {
  const { patch, get, byId, id } = await externalWorld();
  const reply = await patch("acme", { mrr: 12.5, status: "churned", contactActivityAt: "2026-01-01" });
  expect([reply.status, reply.body]).toEqual([
    200,
    {
      data: {
        id,
        name: "Acme",
        externalId: "acme",
        mrr: 12.5,
        active: false,
        churned: true,
        onboarding: false,
        contactActivityAt: "2026-01-01T00:00:00.000Z",
        createdAt: beginningText,
        updatedAt: "2026-01-02T03:04:06.678Z",
      },
    },
  ]);
  expect((await byId()).data).toMatchObject({ mrr: 12.5, churned: true, name: "Acme" });
  expect((await get("acme")).body).toEqual(await byId());
});

test("PATCH may change or clear externalId; only the new value finds the account", async () => {
  const { patch, get, byId, id } = await externalWorld();
  expect((await patch("acme", { externalId: "acme-2" })).body.data.externalId).toBe("acme-2");
  expect([(await get("acme")).status, (await get("acme-2")).body.data.id]).toEqual([404, id]);
  expect((await patch("acme-2", { externalId: null })).body.data.externalId).toBeNull();
  expect((await get("acme-2")).status).toBe(404);
  expect((await byId()).data.externalId).toBeNull();
});

test("the 404 mentions the externalId, and is the same for GET, PATCH and DELETE", async () => {
  const { call } = await externalWorld();
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
