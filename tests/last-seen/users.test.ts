import { expect, test } from "bun:test";
import { healthWorld } from "../health-scores/health-world.ts";

const item = { source: "vitally", lastSeenAt: "2026-01-01T03:04:05.678Z" };

/** Accounts `acme` and `globex`, with a contact by `userId`, one by `externalId`, and one by its address only. */
async function userWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme", externalId: "acme" });
  await here.account({ name: "Globex", externalId: "globex" });
  const add = async (accountId: number, body: Record<string, string>) =>
    (await here.call("POST", `/api/v1/accounts/${accountId}/contacts`, body)).body.data.id;
  await add(1, { name: "Ada", userId: "ada", email: "ada@x.io" });
  await add(1, { name: "Bob", externalId: "bob" });
  await add(2, { name: "Eve", email: "eve@x.io" });
  return {
    ...here,
    add,
    contact: async (id: number) => (await here.call("GET", `/api/v1/contacts/${id}`)).body.data,
    types: async () =>
      (await here.call("GET", "/api/v1/changes?resource=contact")).body.data.map(
        ({ type }: { type: string }) => type,
      ),
  };
}

test("an item of a user updates the contact with the userId, and its account", async () => {
  const { seen, contact, health } = await userWorld();
  expect((await seen([{ ...item, userId: "ada" }])).body.data).toMatchObject({ accepted: 1, rejected: 0 });
  expect(await contact(1)).toMatchObject({ userId: "ada", lastSeenAt: item.lastSeenAt });
  expect((await health()).contactActivity).toEqual({ at: item.lastSeenAt, source: "vitally" });
  await seen([{ ...item, userId: "ada", lastSeenAt: "2025-12-01" }]);
  expect(await contact(1)).toMatchObject({ lastSeenAt: item.lastSeenAt });
});

test("without such a contact, an equal externalId counts, then the address in the account: both get the userId", async () => {
  const { seen, contact, types } = await userWorld();
  await seen([{ ...item, userId: "bob" }]);
  expect(await contact(2)).toMatchObject({ userId: "bob", externalId: "bob", lastSeenAt: item.lastSeenAt });
  const eve = { ...item, userId: "u-eve", externalId: "globex", contactEmail: "EVE@x.io" };
  await seen([eve, { ...eve, source: "crm" }]);
  expect(await contact(3)).toMatchObject({ userId: "u-eve", lastSeenAt: item.lastSeenAt });
  expect((await types()).filter((type: string) => type === "contact.updated")).toHaveLength(2);
});

test("a contact with another userId is not touched, and a user without a contact is one of its account", async () => {
  const { seen, contact, health } = await userWorld();
  const other = { ...item, userId: "someone", accountId: 1, contactEmail: "ada@x.io" };
  expect((await seen([other])).body.data.items).toMatchObject([{ index: 0, code: "contact_email_conflict" }]);
  expect(await contact(1)).toMatchObject({ userId: "ada", lastSeenAt: null });
  const reply = await seen([
    { ...item, userId: "nobody" },
    { ...item, userId: "nobody", accountId: 2 },
    { ...item, userId: "undefined" },
  ]);
  expect(reply.body.data.items).toMatchObject([
    { index: 0, code: "unknown_account" },
    { index: 2, code: "no_account" },
  ]);
  expect((await health("", 2)).contactActivity).toEqual({ at: item.lastSeenAt, source: "vitally" });
});

test("without an account, an item of an unknown user updates the contacts with the address that have no userId", async () => {
  const { seen, add, contact, health } = await userWorld();
  const eve = { ...item, userId: "u-eve", contactEmail: "eve@x.io" };
  await add(1, { name: "Eve", userId: "other", email: "EVE@x.io" });
  expect((await seen([eve])).body.data).toMatchObject({ accepted: 1, rejected: 0 });
  // Several contacts can have the address: none of them gets the userId.
  expect(await contact(3)).toMatchObject({ userId: null, lastSeenAt: item.lastSeenAt });
  expect(await contact(4)).toMatchObject({ userId: "other", lastSeenAt: null });
  expect((await health()).contactActivity).toMatchObject({ at: null });
  expect((await health("", 2)).contactActivity).toEqual({ at: item.lastSeenAt, source: "vitally" });
  const ada = await seen([{ ...item, userId: "u-ada", contactEmail: "ada@x.io" }]);
  expect(ada.body.data.items).toMatchObject([{ index: 0, code: "contact_email_conflict" }]);
  expect(await contact(1)).toMatchObject({ lastSeenAt: null });
});

test("a contact that got a userId in the same request is not the user with its externalId", async () => {
  const { seen, add, contact, types } = await userWorld();
  const id = await add(1, { name: "Sam", externalId: "sam", email: "sam@x.io" });
  const first = { ...item, userId: "other", externalId: "acme", contactEmail: "sam@x.io" };
  const reply = await seen([first, { ...item, userId: "sam", lastSeenAt: "2025-12-31" }]);
  expect(reply.body.data.items).toMatchObject([{ index: 1, code: "unknown_account" }]);
  expect(await contact(id)).toMatchObject({ userId: "other", externalId: "sam" });
  expect((await types()).filter((type: string) => type === "contact.updated")).toHaveLength(1);
});

test("users of another organization are unknown", async () => {
  const { seen, second, contact } = await userWorld();
  const reply = await seen([{ ...item, userId: "ada" }], { key: second.key });
  expect(reply.body.data.items).toMatchObject([{ index: 0, code: "unknown_account" }]);
  expect(await contact(1)).toMatchObject({ lastSeenAt: null });
});
