import { expect, test } from "bun:test";
import { day, healthWorld } from "../health-scores/health-world.ts";
import { beginning, beginningText } from "../support/world.ts";

/** A health world with two accounts: the first has two contacts, the second has one with the same address. */
async function contactsWorld() {
  const here = await healthWorld();
  await here.account({ name: "Acme", contactName: "Ada", contactEmail: "Ada@Éclair.io" });
  await here.account({ name: "Globex", contactName: "Lovelace", contactEmail: "ada@éclair.io" });
  await here.call("POST", "/api/v1/accounts/1/contacts", { name: "Bob", email: "bob@x.io" });
  const ago = (days: number) => here.textOf(beginning - days * day);
  return {
    ...here,
    ago,
    see: (contactEmail: string, days: number, source = "crm") =>
      here.seen([{ contactEmail, source, lastSeenAt: ago(days) }]),
    /** Creates accounts with a contact of one address each. Returns the id of the last account. */
    async addGraces(count: number): Promise<number> {
      const contacts = [{ name: "Grace", email: "grace@x.io" }];
      const accounts = Array.from({ length: count }, (_, i) => ({
        externalId: `${i}`,
        name: "Of",
        contacts,
      }));
      const { data } = (await here.call("POST", "/api/v1/accounts/batch", { accounts })).body;
      expect(data.created).toBe(count);
      return data.results.at(-1).id;
    },
    contact: async (id: number) => (await here.call("GET", `/api/v1/contacts/${id}`)).body.data,
    /** The contact activity of each account, with its source. */
    activity: async () => [(await here.health()).contactActivity, (await here.health("", 2)).contactActivity],
  };
}

test("contactEmail, case-insensitive, updates the account of every contact with this address", async () => {
  const { see, activity, ago } = await contactsWorld();
  expect((await see("ADA@éCLAIR.IO", 1)).body.data).toEqual({ accepted: 1, rejected: 0, items: [] });
  expect(await activity()).toEqual([
    { at: ago(1), source: "crm" },
    { at: ago(1), source: "crm" },
  ]);
  await see("bob@x.io", 0);
  expect(await activity()).toEqual([
    { at: ago(0), source: "crm" },
    { at: ago(1), source: "crm" },
  ]);
});

test("contactEmail sets lastSeenAt of the contacts with this address, and not updatedAt", async () => {
  const { see, contact, pass, ago } = await contactsWorld();
  const [ada, lovelace, bob] = [await contact(1), await contact(2), await contact(3)];
  expect([ada.lastSeenAt, ada.updatedAt]).toEqual([null, beginningText]);
  pass(1000);
  await see("ada@éclair.io", 1);
  expect(await contact(1)).toEqual({ ...ada, lastSeenAt: ago(1) });
  expect(await contact(2)).toEqual({ ...lovelace, lastSeenAt: ago(1) });
  expect(await contact(3)).toEqual(bob);
});

test("lastSeenAt of a contact is the latest of all sources", async () => {
  const { see, contact, ago } = await contactsWorld();
  const lastSeenAt = async () => (await contact(1)).lastSeenAt;
  await see("ada@éclair.io", 3, "crm");
  await see("ada@éclair.io", 2, "mail");
  await see("ada@éclair.io", 4, "mail");
  await see("ada@éclair.io", 1, "crm");
  await see("ada@éclair.io", 5, "chat");
  expect(await lastSeenAt()).toBe(ago(1));
});

test("a former address of a contact is unknown; the timestamps of the account stay", async () => {
  const { see, call, activity, ago } = await contactsWorld();
  await see("bob@x.io", 2);
  await call("PATCH", "/api/v1/contacts/3", { email: "robert@x.io" });
  expect((await see("bob@x.io", 1)).body.data.items).toMatchObject([{ index: 0, code: "unknown_account" }]);
  await call("DELETE", "/api/v1/contacts/3");
  expect((await see("robert@x.io", 1)).body.data.items).toMatchObject([{ code: "unknown_account" }]);
  expect((await activity())[0]).toEqual({ at: ago(2), source: "crm" });
});

test("an item with an account does not update contacts", async () => {
  const { seen, contact, activity, ago } = await contactsWorld();
  await seen([{ accountId: 2, contactEmail: "bob@x.io", source: "crm", lastSeenAt: ago(1) }]);
  expect((await activity())[0]).toEqual({ at: null, source: null });
  for (const id of [1, 2, 3]) expect((await contact(id)).lastSeenAt).toBeNull();
});

test("an address updates all contacts that have it; the same item again changes nothing", async () => {
  const { see, seen, contact, ago, health, addGraces } = await contactsWorld();
  const last = { account: await addGraces(150), contact: 153 };
  const items = Array.from({ length: 1_000 }, (_, i) => ({
    contactEmail: "grace@x.io",
    source: "crm",
    lastSeenAt: ago(1_000 - i),
  }));
  expect((await seen(items)).body.data).toEqual({ accepted: 1_000, rejected: 0, items: [] });
  expect((await contact(last.contact)).lastSeenAt).toBe(ago(1));
  expect((await health("", last.account)).contactActivity).toEqual({ at: ago(1), source: "crm" });
  expect((await see("nobody@x.io", 1)).body.data).toMatchObject({ accepted: 0, rejected: 1 });
});

test("the addresses of one request update at most 10,000 contacts; further items are too_many", async () => {
  const { seen, ago, health, addGraces } = await contactsWorld();
  const last = await addGraces(1_000);
  const items = Array.from({ length: 12 }, (_, i) => ({
    contactEmail: "grace@x.io",
    source: `source ${i}`,
    lastSeenAt: ago(1 + i),
  }));
  const late = { code: "too_many", detail: expect.stringContaining("another request") };
  expect((await seen(items)).body.data).toEqual({
    accepted: 10,
    rejected: 2,
    items: [10, 11].map((index) => ({ index, ...late })),
  });
  expect((await seen(items.slice(10))).body.data).toEqual({ accepted: 2, rejected: 0, items: [] });
  expect((await health("", last)).contactActivity).toEqual({ at: ago(1), source: "source 0" });
  // One contact, then ten times 1,000: the last item would reach the contacts from 9,002 to 10,001.
  const bob = { contactEmail: "bob@x.io", source: "crm", lastSeenAt: ago(0) };
  const ofAccount = { accountId: last, source: "crm", lastSeenAt: ago(30) };
  expect((await seen([bob, ...items.slice(0, 10), ofAccount])).body.data).toEqual({
    accepted: 11,
    rejected: 1,
    items: [{ index: 10, ...late }],
  });
});
