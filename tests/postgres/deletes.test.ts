import { expect, test } from "bun:test";
import { contactStore } from "../../src/contacts/store.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import { finishAccountDeletions } from "../../src/deletions/accounts.ts";
import { createOrganizationDeleter } from "../../src/organizations/delete.ts";
import { reactions } from "../../src/reactions.ts";
import { createOrganizationWithKey } from "../support/template.ts";
import { emptyDatabase } from "./database.ts";
import { startCounter } from "./round-trips.ts";
import { copyOn } from "./service-copy.ts";

const numbers = Array.from({ length: 100 }, (_, i) => i);

/** An organization with 100 accounts, each with a contact, and what counts the statements. */
async function filledCopy() {
  const counter = await startCounter(await emptyDatabase());
  const { engine, send } = await copyOn(counter.url, { connections: { writeLanes: 1 } });
  const { id: organizationId, key } = await createOrganizationWithKey(engine, "Acme");
  const accounts = numbers.map((i) => ({
    ...{ externalId: `a${i}`, name: `Account ${i}`, attributes: { plan: "pro", seats: i } },
    contacts: [{ externalId: `c${i}`, name: "Ada" }],
  }));
  expect((await send(key, "POST", "/accounts/batch", { accounts })).body.data.created).toBe(100);
  const services = { engine, reactions, runJob: async () => {} };
  const tenant = new Tenant(services, { organizationId, actor: { type: "cli" }, requestId: null });
  const count = async <T>(work: () => Promise<T>) => {
    const before = counter.statements();
    const result = await work();
    return { result, statements: counter.statements() - before };
  };
  return { engine, send: send.bind(null, key), organizationId, tenant, count };
}

test("the events of a deleted account are deleted by one statement", async () => {
  const { send, tenant, count } = await filledCopy();
  const events = numbers.map(() => ({ event: "login", externalId: "a1" }));
  expect((await send("POST", "/events", { events })).body.data.accepted).toBe(100);
  expect((await send("DELETE", "/accounts/external/a1")).status).toBe(204);
  const { result, statements } = await count(() => finishAccountDeletions(tenant));
  expect(result).toBe(true);
  expect(statements).toBeLessThanOrEqual(20);
  while (await finishAccountDeletions(tenant));
  expect((await send("GET", "/events")).body.data).toEqual([]);
});

test("the rows of a deleted organization are deleted by one statement for 100 rows of a table", async () => {
  const { engine, organizationId, count } = await filledCopy();
  const deleteStep = createOrganizationDeleter(engine);
  const { statements } = await count(async () => {
    while (await deleteStep(organizationId));
  });
  expect(statements).toBeLessThanOrEqual(380);
});

test("a batch of writes deletes rows, and inserts rows with the same unique values", async () => {
  const { send, tenant } = await filledCopy();
  const { id: accountId } = (await send("GET", "/accounts/external/a1")).body.data;
  const results = await Promise.all(
    numbers.slice(0, 10).map((i) =>
      tenant.write(async (tx) => {
        const { id: _, ...contact } = await contactStore.get(tx, "c1");
        await contactStore.remove(tx, await contactStore.get(tx, "c1"));
        const row = await contactStore.create(tx, { accountId }, { name: `Ada ${i}`, externalId: "c1" });
        return { name: contact.name, isRead: (await contactStore.get(tx, "c1")).id === row.id };
      }),
    ),
  );
  expect(results).toEqual(
    numbers.slice(0, 10).map((i) => ({ name: i === 0 ? "Ada" : `Ada ${i - 1}`, isRead: true })),
  );
  const { body } = await send("GET", "/contacts/external/c1");
  expect(body.data).toMatchObject({ name: "Ada 9", accountId });
});

test("a batch of writes deletes a row after its updates, and a later write does not find it", async () => {
  const { send, tenant } = await filledCopy();
  const { id } = await tenant.read((snapshot) => contactStore.get(snapshot, "c1"));
  const update = (name: string) => tenant.write((tx) => contactStore.update(tx, id, { name }));
  const remove = () => tenant.write(async (tx) => contactStore.remove(tx, await contactStore.get(tx, id)));
  const results = await Promise.allSettled([update("Bob"), remove(), update("Eve"), remove()]);
  expect(results.map((result) => (result.status === "rejected" ? result.reason.code : "stored"))).toEqual([
    ...["stored", "stored"],
    ...["not_found", "not_found"],
  ]);
  expect((await send("GET", "/contacts")).body.pagination.total).toBe(99);
});
