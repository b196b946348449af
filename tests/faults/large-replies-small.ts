import { type PathIds, senderOf } from "./large-replies-data.ts";

const rowCount = 1_000;
const keyCount = 100;
const day = 86_400_000;
/** The events of an account: one for each row of the largest page of its usage. */
const [usageDays, eventNames] = [28, 36];
/** The external id of one row of each resource. */
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
    contacts: list((i) => ({ externalId: `x-${i}`, name: `Contact ${i}`, email: `u${i}@example.com` })),
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
  const idOf = async (resource: string) =>
    (await send("GET", `/api/v1/${resource}/external/${externalId}?fields=id`)).id;
  return {
    ...ids,
    externalId,
    accountId: await idOf("accounts"),
    contactId: await idOf("contacts"),
    meetingId: await idOf("meetings"),
    requestId: await idOf("requests"),
  };
}
