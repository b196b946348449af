import { expect, test } from "bun:test";
import { type Body, beginningText, world } from "../support/world.ts";

const path = "/api/v1/accounts";

/** A world with one account, and a function that patches it. */
async function worldWithAccount(body: Body = { name: "Acme", externalId: "acme" }) {
  const here = await world();
  const { id } = await here.account(body);
  here.pass(1000);
  return { ...here, id, patch: (changes: unknown) => here.call("PATCH", `${path}/${id}`, changes) };
}

test("PATCH returns 200 and the account with contactActivityAt; updatedAt reflects the change", async () => {
  const { patch, id } = await worldWithAccount();
  const reply = await patch({ contactActivityAt: "2026-01-01T10:00:00+02:00" });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    data: {
      id,
      name: "Acme",
      externalId: "acme",
      mrr: 0,
      active: true,
      churned: false,
      onboarding: false,
      contactActivityAt: "2026-01-01T08:00:00.000Z",
      createdAt: beginningText,
      updatedAt: "2026-01-02T03:04:06.678Z",
    },
  });
});

/** Each member absent, with a value, and null. `null` is the status of a null; with 200, null is stored. */
const states: { member: string; value: unknown; shown?: unknown; null: number }[] = [
  { member: "name", value: "Other", null: 400 },
  { member: "externalId", value: "other", null: 200 },
  { member: "mrr", value: 5.25, null: 400 },
  { member: "logoUrl", value: "https://x.io/logo.png", null: 200 },
  { member: "contactActivityAt", value: "2026-01-01T00:00:00.000Z", null: 200 },
];
for (const state of states) {
  test(`PATCH ${state.member}: absent leaves it unchanged, a value sets it, null is ${state.null}`, async () => {
    const { call, patch, id } = await worldWithAccount();
    const stored = async () => {
      const stored = (await call("GET", `${path}/${id}`)).body.data;
      const patched = (await patch({ name: stored.name })).body.data;
      return { ...stored, ...patched }[state.member];
    };
    expect((await patch({ [state.member]: state.value })).status).toBe(200);
    expect(await stored()).toEqual(state.value);
    expect((await patch(state.member === "mrr" ? { name: "Third" } : { mrr: 9 })).status).toBe(200);
    expect(await stored()).toEqual(state.member === "name" ? "Other" : state.value);
    expect((await patch({ [state.member]: null })).status).toBe(state.null);
    expect(await stored()).toEqual(state.null === 200 ? null : state.value);
  });
}

test("PATCH status accepts all four values, and any status may follow any other", async () => {
  const { call, patch } = await worldWithAccount();
  const statuses = ["active", "onboarding", "churned", "inactive"];
  for (const from of statuses)
    for (const to of statuses) {
      await patch({ status: from });
      const { active, onboarding, churned } = (await patch({ status: to })).body.data;
      expect({ active, onboarding, churned }).toEqual({
        active: to === "active",
        onboarding: to === "onboarding",
        churned: to === "churned",
      });
      for (const status of statuses)
        expect((await call("GET", `${path}?status=${status}`)).body.pagination.total).toBe(
          status === to ? 1 : 0,
        );
    }
});

test("PATCH externalId equal to that of another account in the organization is 409, and changes nothing", async () => {
  const { call, patch, account, second, id } = await worldWithAccount();
  await account({ name: "Other", externalId: "other" });
  await account({ name: "Theirs", externalId: "theirs" }, { key: second.key });
  const reply = await patch({ externalId: "other", name: "Changed" });
  expect([reply.status, reply.body.code]).toEqual([409, "external_id_conflict"]);
  expect((await call("GET", `${path}/${id}`)).body.data).toMatchObject({ name: "Acme", externalId: "acme" });
  expect((await patch({ externalId: "theirs" })).status).toBe(200);
});

test("PATCH contactActivityAt must not be in the future; now is accepted", async () => {
  const { patch } = await worldWithAccount();
  expect((await patch({ contactActivityAt: "2026-01-02T03:04:06.678Z" })).status).toBe(200);
  const reply = await patch({ contactActivityAt: "2026-01-02T03:04:06.679Z" });
  expect(reply.body).toMatchObject({
    status: 400,
    errors: [{ pointer: "/contactActivityAt", code: "in_future" }],
  });
});

test("PATCH without a valid member is 400 no_valid_fields", async () => {
  const { patch } = await worldWithAccount();
  for (const body of [{}, { unknown: 1 }, { createdAt: beginningText, contactName: "Ada" }]) {
    const reply = await patch(body);
    expect([reply.status, reply.body.code]).toEqual([400, "no_valid_fields"]);
  }
});

test("a PATCH without a change leaves updatedAt", async () => {
  const { patch, pass } = await worldWithAccount();
  const changed = (await patch({ name: "New", status: "churned", mrr: 5 })).body.data;
  pass(5000);
  expect((await patch({ name: "New", status: "churned", mrr: 5, externalId: "acme" })).body.data).toEqual(
    changed,
  );
});

test("updatedAt is strictly greater after every change, even within one millisecond", async () => {
  const { patch } = await worldWithAccount();
  let last = "";
  for (let mrr = 1; mrr <= 20; mrr++) {
    const { updatedAt } = (await patch({ mrr })).body.data;
    expect(updatedAt > last).toBe(true);
    last = updatedAt;
  }
});
