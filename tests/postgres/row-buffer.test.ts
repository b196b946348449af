import { expect, test } from "bun:test";
import { createAccount, getAccount, updateAccount } from "../../src/accounts/store.ts";
import { contactStore } from "../../src/contacts/store.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { reactions } from "../../src/reactions.ts";
import { engineOn, migratedDatabase } from "./database.ts";

/** A tenant of an engine with one lane, so that the writes of a turn of the event loop are one batch. */
async function tenantOf(organizationId: number) {
  const database = await migratedDatabase();
  const engine = await engineOn(database, { connections: { writeLanes: 1 } });
  const services = { engine, reactions, runJob: async () => {} };
  return new Tenant(services, { organizationId, actor: { type: "cli" }, requestId: null });
}

test("rows of a batch are inserted after those that they reference, whatever the order of the writes", async () => {
  const tenant = await tenantOf(1);
  const { id: first } = await tenant.write((tx) => createAccount(tx, { name: "first" }));
  const contact = (name: string) =>
    tenant.write((tx) => contactStore.create(tx, { accountId: first }, { name }));
  const account = (name: string) =>
    tenant.write((tx) => createAccount(tx, { name, contactName: `of ${name}` }));
  const [ada, acme, bob, globex] = await Promise.all([
    contact("ada"),
    account("acme"),
    contact("bob"),
    account("globex"),
  ]);
  const namesOf = async (id: number) =>
    JSON.parse((await tenant.read((snapshot) => getAccount(snapshot, id))).contacts).map(
      (row: unknown[]) => row[1],
    );
  expect([ada.accountId, bob.accountId]).toEqual([first, first]);
  expect((await namesOf(first)).sort()).toEqual(["ada", "bob"]);
  expect(await namesOf(acme.id)).toEqual(["of acme"]);
  expect(await namesOf(globex.id)).toEqual(["of globex"]);
});

test("a write reads and changes the rows that it inserted", async () => {
  const tenant = await tenantOf(1);
  const writes = Array.from({ length: 5 }, (_, i) =>
    tenant.write(async (tx) => {
      const { id } = await createAccount(tx, { name: `account ${i}`, contactName: "Ada" });
      const { contacts } = await getAccount(tx, id);
      const { name } = await updateAccount(tx, id, { name: `renamed ${i}` });
      return { contactCount: JSON.parse(contacts).length, name };
    }),
  );
  expect(await Promise.all(writes)).toEqual(
    writes.map((_, i) => ({ contactCount: 1, name: `renamed ${i}` })),
  );
});

test("the updates of a batch read what earlier ones changed, in rows of one statement and of several", async () => {
  const tenant = await tenantOf(1);
  const create = (name: string) => tenant.write((tx) => createAccount(tx, { name, externalId: name }));
  const [{ id: first }, { id: second }] = [await create("first"), await create("second")];
  const add = (id: number, isNamed: boolean) =>
    tenant.write(async (tx) => {
      const { mrr } = await getAccount(tx, id);
      const { version } = await updateAccount(tx, id, {
        mrr: mrr + 1,
        ...(isNamed && { name: `sum ${mrr}` }),
      });
      return version;
    });
  const versions = await Promise.all(
    Array.from({ length: 20 }, (_, i) => add(i % 2 ? first : second, i % 5 === 0)),
  );
  expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => 2 + (i >> 1)));
  const read = (id: number) => tenant.read((snapshot) => getAccount(snapshot, id));
  expect(await read(first)).toMatchObject({ mrr: 10, name: "sum 7", version: 11 });
  expect(await read(second)).toMatchObject({ mrr: 10, name: "sum 5", version: 11 });
});

test("an update to the external id of another row fails, although that row gets another one in the same batch", async () => {
  const tenant = await tenantOf(1);
  const create = (name: string) => tenant.write((tx) => createAccount(tx, { name, externalId: name }));
  const [a, b] = [await create("a"), await create("b")];
  const results = await Promise.allSettled([
    tenant.write((tx) => updateAccount(tx, a.id, { externalId: "b" })),
    tenant.write((tx) => updateAccount(tx, b.id, { externalId: "c" })),
    tenant.write((tx) => updateAccount(tx, a.id, { mrr: 5 })),
  ]);
  expect(results.map((result) => (result.status === "rejected" ? result.reason.code : "stored"))).toEqual([
    "external_id_conflict",
    "stored",
    "stored",
  ]);
  const read = (id: number) => tenant.read((snapshot) => getAccount(snapshot, id));
  expect(await read(a.id)).toMatchObject({ externalId: "a", mrr: 5 });
  expect(await read(b.id)).toMatchObject({ externalId: "c" });
});
