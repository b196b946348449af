import { expect, test } from "bun:test";
import RudderStack from "@rudderstack/rudder-sdk-node";
import { Analytics as Segment } from "@segment/analytics-node";
import { ingestServer } from "./ingest-server.ts";

const person = { name: "Ada", email: "ada@x.io" };
const contact = { name: "Ada", email: "ada@x.io" };

test("Segment's SDK for Node: identify, group and track without a group in the context give a contact", async () => {
  const { key, url, accountWithContacts } = await ingestServer();
  const client = new Segment({ writeKey: key, host: url, flushAt: 1 });
  client.identify({ userId: "u1", traits: person });
  client.group({ userId: "u1", groupId: "acme", traits: { name: "Acme" } });
  client.track({ userId: "u1", event: "opened", context: { groupId: "acme" } });
  await client.closeAndFlush({ timeout: 10_000 });
  expect(await accountWithContacts("acme")).toMatchObject({ name: "Acme", contacts: [contact] });
}, 20_000);

test("RudderStack's SDK for Node: a group call with the person in its context keeps the account's name", async () => {
  const { key, url, request, accountWithContacts } = await ingestServer();
  await request("/accounts", { name: "Acme", externalId: "acme" });
  const client = new RudderStack(key, { dataPlaneUrl: url });
  const context = { traits: person };
  client.identify({ userId: "u1", context });
  client.group({ userId: "u1", groupId: "acme", context });
  client.track({ userId: "u1", event: "opened", context });
  await client.flush();
  const hasContact = async () => (await accountWithContacts("acme")).contacts.length > 0;
  for (let i = 0; i < 100 && !(await hasContact()); i += 1) await Bun.sleep(50);
  expect(await accountWithContacts("acme")).toMatchObject({ name: "Acme", contacts: [contact] });
}, 20_000);
