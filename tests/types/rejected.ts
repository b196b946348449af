import type { Client } from "./operations.ts";

/** Calls that do not compile. The function is never called. */
export async function rejectedCalls({ api, v1, livez }: Client) {
  const { accounts, contacts, meetings, requests, events } = api.v1;
  const account = accounts({ accountId: 1 });
  const external = { externalId: "x" };

  // @ts-expect-error: no such path.
  api.v1.acounts.get();
  // @ts-expect-error: no such path below an account.
  account.contact.get();
  // @ts-expect-error: the path's parameter has another name.
  contacts({ id: 1 });
  // @ts-expect-error: no such method.
  account.post({});
  // @ts-expect-error: no such method.
  livez.post();

  // @ts-expect-error: a misspelled member.
  accounts.post({ name: "Acme", externalID: "acme" });
  // @ts-expect-error: a member of the wrong type.
  accounts.post({ name: "Acme", mrr: "12" });
  // @ts-expect-error: a status that does not exist.
  account.patch({ status: "lost" });
  // @ts-expect-error: a required member is missing.
  accounts.post({ mrr: 1 });
  // @ts-expect-error: the body is missing.
  accounts.post();
  // @ts-expect-error: no null in a create.
  accounts.post({ name: "Acme", externalId: null });
  // @ts-expect-error: the externalId is in the path.
  accounts.external(external).put({ externalId: "y" });

  // @ts-expect-error: a misspelled member.
  account.contacts.post({ name: "Ada", emial: "ada@example.com" });
  // @ts-expect-error: a member of the wrong type.
  contacts({ contactId: 1 }).patch({ name: 1 });
  // @ts-expect-error: no null for a name.
  contacts.external(external).put({ name: null });
  // @ts-expect-error: a required member is missing.
  account.meetings.post({ title: "Review", startAt: "2026-01-02" });
  // @ts-expect-error: a member of another resource.
  meetings({ meetingId: 1 }).patch({ email: "ada@example.com" });
  // @ts-expect-error: a member of the wrong type.
  meetings.external(external).put({ endAt: 1 });
  // @ts-expect-error: a status that does not exist.
  account.requests.post({ title: "SSO", status: "open" });
  // @ts-expect-error: a misspelled member.
  requests({ requestId: 1 }).patch({ serverity: 4 });
  // @ts-expect-error: a member of the wrong type.
  requests.external(external).put({ severity: "4" });

  // @ts-expect-error: no null for a name.
  accounts.external(external).patch({ name: null });
  // @ts-expect-error: a delete takes no query.
  accounts.external(external).delete({}, { query: { force: true } });
  // @ts-expect-error: no such method.
  api.v1.changes.post({});
  // @ts-expect-error: a kind of row that does not exist.
  api.v1.changes.get({ query: { resource: "usage" } });
  // @ts-expect-error: a kind of change that does not exist.
  api.v1.changes.get({ query: { action: "removed" } });
  // @ts-expect-error: the feed has no pages.
  api.v1.changes.get({ query: { page: 1 } });
  // @ts-expect-error: the history has pages, and no place to continue.
  account.history.get({ query: { after: 1 } });

  // @ts-expect-error: a misspelled parameter.
  accounts.get({ query: { minMRR: 1 } });
  // @ts-expect-error: a page in words.
  accounts.get({ query: { page: "two" } });
  // @ts-expect-error: an order of another list.
  account.contacts.get({ query: { sortBy: "mrr" } });
  // @ts-expect-error: a filter of another list.
  account.meetings.get({ query: { status: "Open" } });
  // @ts-expect-error: a tier that does not exist.
  api.v1.health.get({ query: { tier: "good" } });
  // @ts-expect-error: a misspelled parameter.
  account.usage.get({ query: { events: "report.exported" } });
  // @ts-expect-error: a route without parameters.
  api.v1.health.summary.get({ query: { include: "contacts" } });

  // @ts-expect-error: a misspelled member.
  events.post({ events: [{ evnt: "report.exported" }] });
  // @ts-expect-error: a member of the wrong type.
  events.post({ event: "report.exported", accountId: "1" });
  // @ts-expect-error: properties are an object.
  events.post({ event: "report.exported", externalId: "acme", properties: 12 });
  // @ts-expect-error: what the body's reader returns is no body.
  events.post({ body: {}, size: 2, depth: 1 });
  // @ts-expect-error: a required member is missing.
  v1.batch.post({ batch: [{ event: "report.exported" }] });
  // @ts-expect-error: a required member is missing.
  api.v1["last-seen"].post({ items: [{ externalId: "acme" }] });
  // @ts-expect-error: a misspelled member.
  api.v1["last-seen"].post({ items: [{ source: "vitally", lastSeen: "2026-01-02" }] });

  const { data, error } = await contacts({ contactId: 1 }).get();
  // @ts-expect-error: a reply has no such member.
  data?.data.emial;
  // @ts-expect-error: a reply's member has another type.
  data?.data.id satisfies string | undefined;
  // @ts-expect-error: a get does not reply with this status.
  if (error?.status === 409) return;
  // @ts-expect-error: a problem has no such member.
  error?.value.message;
}
