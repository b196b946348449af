import { expect, test } from "bun:test";
import { addMeeting } from "../../src/meetings/store.ts";
import { addRequest } from "../../src/requests/store.ts";
import { Tenant } from "../../src/tenant.ts";
import { beginning, beginningText, world } from "../support/world.ts";

const hour = 3_600_000;

test("GET returns the account's fields, and its contacts, meetings and requests", async () => {
  const { call, account, store, first, now } = await world();
  const { id } = await account({
    name: "Acme",
    externalId: "acme",
    mrr: 10.5,
    contactName: "Ada",
    contactEmail: "ada@x.io",
  });
  await new Tenant(store, first.id, now()).write(async (rows) => {
    const startAt = beginning - hour;
    await addMeeting(rows, {
      accountId: id,
      title: "Review",
      startAt,
      endAt: startAt + hour,
      createdAt: beginning,
    });
    await addRequest(rows, {
      accountId: id,
      title: "SSO",
      status: "Open",
      severity: 3,
      requestedAt: startAt,
      createdAt: beginning,
    });
  });
  const reply = await call("GET", `/api/v1/accounts/${id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id,
      name: "Acme",
      externalId: "acme",
      mrr: 10.5,
      active: true,
      churned: false,
      onboarding: false,
      logoUrl: null,
      contacts: [{ id: 1, name: "Ada", email: "ada@x.io" }],
      meetings: [{ id: 1, title: "Review", startAt: "2026-01-02T02:04:05.678Z", endAt: beginningText }],
      requests: [
        { id: 1, title: "SSO", status: "Open", severity: 3, requestedAt: "2026-01-02T02:04:05.678Z" },
      ],
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  });
});
