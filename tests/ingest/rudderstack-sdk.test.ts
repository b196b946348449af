import { expect, test } from "bun:test";
import Analytics from "@rudderstack/rudder-sdk-node";
import { ingestServer } from "./ingest-server.ts";

test("RudderStack's SDK for Node delivers with its default settings, in gzip", async () => {
  const { key, url, request, accountWithContacts } = await ingestServer();
  const { id } = await request("/accounts", { name: "acme", externalId: "acme" });
  const errors: unknown[] = [];
  const client = new Analytics(key, { dataPlaneUrl: url, errorHandler: (error) => void errors.push(error) });
  const context = { groupId: "acme" };
  client.group({ userId: "u1", groupId: "acme", traits: { name: "Acme Inc." } });
  client.identify({ userId: "u1", context: { ...context, traits: { name: "Ada", email: "ada@x.io" } } });
  for (let i = 0; i < 50; i += 1)
    client.track({ userId: `u${i % 5}`, event: "report.exported", context, properties: { i } });
  client.page({ userId: "u1", name: "Home", context });
  client.screen({ userId: "u1", name: "Home", context });
  client.alias({ userId: "u1", previousId: "u0", context });
  await client.flush();

  expect(errors).toEqual([]);
  const usage = async () => (await request(`/accounts/${id}/usage`)).map(withoutDay);
  // The first call is sent alone, next to the flush.
  for (let i = 0; i < 100 && (await usage())[0]?.count !== 50; i += 1) await Bun.sleep(50);
  expect(await usage()).toEqual([{ event: "report.exported", count: 50, users: 5 }]);
  expect(await accountWithContacts("acme")).toMatchObject({
    name: "Acme Inc.",
    contacts: [{ name: "Ada", email: "ada@x.io" }],
  });
}, 20_000);

test("RudderStack's SDK reports an error for an invalid key", async () => {
  const { url } = await ingestServer();
  const error = Promise.withResolvers<unknown>();
  const client = new Analytics("wrong", { dataPlaneUrl: url, errorHandler: error.resolve });
  client.track({ userId: "u1", event: "report.exported" });
  expect(String(await error.promise)).toContain("401");
}, 20_000);

function withoutDay({ day, ...row }: Record<string, unknown>) {
  expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  return row;
}
