import { type PathIds, type Send, senderOf } from "./large-replies-data.ts";

const rowCount = 1_000;
const keyCount = 100;
const day = 86_400_000;
/** The pause between two looks for a delivery. */
const deliveryMilliseconds = 100;
/** The events of an account: one for each row of the largest page of its usage. */
const [usageDays, eventNames] = [28, 36];
/** The external id of one row of each resource, and the user id of its contact. */
const externalId = "x-0";

/**
 * Creates as many small accounts as the largest batch has, and for the first one as many contacts, meetings and requests,
 * so that all lists have whole pages.
 */
export async function fillSmallRows(url: string, key: string): Promise<PathIds> {
  const send = senderOf(url, key);
  const list = <T>(make: (i: number) => T, count = rowCount) =>
    Array.from({ length: count }, (_, i) => make(i));
  const accounts = list((i) => ({
    externalId: `x-${i}`,
    name: `Account ${i}`,
    mrr: i,
    attributes: { plan: "pro" },
  }));
  await send("POST", "/api/v1/accounts/batch", { accounts });
  const at = (i: number) => new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
  const subResources = {
    contacts: list((i) => ({
      externalId: `x-${i}`,
      userId: `x-${i}`,
      name: `Contact ${i}`,
      email: `u${i}@example.com`,
    })),
    meetings: list((i) => ({ externalId: `x-${i}`, title: `Meeting ${i}`, startAt: at(i), endAt: at(i) })),
    requests: list((i) => ({ externalId: `x-${i}`, title: `Request ${i}`, severity: (i % 5) + 1 })),
  };
  for (const [resource, rows] of Object.entries(subResources))
    await send("POST", "/api/v1/accounts/batch", { accounts: [{ externalId, [resource]: rows }] });
  const now = Date.now();
  const events = list(
    (i) => ({
      event: `event ${i % eventNames}`,
      externalId,
      userId: `u${i}`,
      timestamp: new Date(now - (i % usageDays) * day).toISOString(),
    }),
    usageDays * eventNames,
  );
  await send("POST", "/api/v1/events", { events: events.slice(0, rowCount) });
  await send("POST", "/api/v1/events", { events: events.slice(rowCount) });
  for (const prefix of ["x", "unknown"])
    await send("POST", "/api/v1/events", {
      events: list((i) => ({ event: "opened", externalId: `${prefix}-${i}` })),
    });
  const ids = { keyId: 0 };
  for (let i = 0; i < keyCount; i += 1)
    ids.keyId = (await send("POST", "/api/v1/keys", { name: `Key ${i}` })).id;
  const idOf = async (resource: string, row = externalId) =>
    (await send("GET", `/api/v1/${resource}/external/${row}?fields=id`)).id;
  return {
    ...ids,
    ...(await makeDelivery(send)),
    externalId,
    userId: externalId,
    name: "plan",
    accountId: await idOf("accounts"),
    contactId: await idOf("contacts"),
    meetingId: await idOf("meetings"),
    requestId: await idOf("requests"),
    createdAccountId: await idOf("accounts", "x-4"),
    deletedContactId: await idOf("contacts", "x-5"),
  };
}

/** Creates a webhook with one delivery, which has no receiver. */
async function makeDelivery(send: Send): Promise<PathIds> {
  const { id: webhookId } = await send("POST", "/api/v1/webhooks", {
    url: "https://receiver.invalid/",
    types: ["meeting.deleted"],
  });
  const times = { startAt: "2026-01-01", endAt: "2026-01-01" };
  const meeting = await send("POST", `/api/v1/accounts/external/${externalId}/meetings`, {
    title: "Deleted",
    ...times,
  });
  await send("DELETE", `/api/v1/meetings/${meeting.id}`);
  for (;;) {
    const [delivery] = await send<{ id: number }[]>("GET", `/api/v1/webhooks/${webhookId}/deliveries`);
    if (delivery) return { webhookId, deliveryId: delivery.id };
    await Bun.sleep(deliveryMilliseconds);
  }
}
