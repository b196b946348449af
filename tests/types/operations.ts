import type { Treaty } from "@elysiajs/eden";
import type { App } from "../../src/app.ts";

export type Client = Treaty.Create<App>;
/** Rows that exist before the first call. */
export type Ids = {
  accountId: number;
  contactId: number;
  meetingId: number;
  requestId: number;
  keyId: number;
};

const startAt = "2026-01-02T03:00:00Z";
const endAt = "2026-01-02T04:00:00Z";
const event = { event: "report.exported", externalId: "acme", properties: { rows: 12 } };
const track = { type: "track", event: "report.exported", context: { groupId: "acme" } };
const call = { event: "report.exported", groupId: "acme", userId: "u7", timestamp: startAt };
const traitsCall = { groupId: "acme", userId: "u7", traits: { name: "Acme" }, context: null };
const operation = { method: "PATCH", path: "/api/v1/accounts/1", body: { mrr: 1 } } as const;
const item = { externalId: "acme", source: "vitally", lastSeenAt: startAt };

/** One call for each operation of the OpenAPI document, by operationId, each with a query or a body where it takes one. */
export function operations({ api, v1, livez, readyz }: Client, ids: Ids) {
  const { accounts, contacts, meetings, requests, events, usage, health } = api.v1;
  const account = accounts({ accountId: ids.accountId });
  const contact = contacts({ contactId: ids.contactId });
  const meeting = meetings({ meetingId: ids.meetingId });
  const request = requests({ requestId: ids.requestId });
  const key = api.v1.keys({ keyId: ids.keyId });
  const external = { externalId: "x-1" };
  const globex = { externalId: "globex" };
  return {
    listAccounts: () =>
      accounts.get({ query: { page: 1, pageSize: "5", sortBy: "mrr", sortOrder: "desc", status: "active" } }),
    createAccount: () => accounts.post({ name: "Acme", externalId: "acme", mrr: 1250.5, contactName: "Ada" }),
    getAccount: () => account.get(),
    updateAccount: () => account.patch({ status: "churned", logoUrl: null }),
    putAccount: () => accounts.external(globex).put({ name: "Globex", mrr: 10 }),
    getAccountByExternalId: () => accounts.external(globex).get(),
    updateAccountByExternalId: () => accounts.external(globex).patch({ mrr: 20, status: "onboarding" }),
    deleteAccountByExternalId: () => accounts.external(globex).delete(),
    listAttributes: () => api.v1.attributes.get({ query: { resource: "contacts" } }),
    listChanges: () =>
      api.v1.changes.get({ query: { after: "0", limit: 10, resource: "account", action: "updated" } }),
    getAccountHistory: () => account.history.get({ query: { page: 1, pageSize: 10 } }),

    listContactsOfAccount: () => account.contacts.get({ query: { search: "a", sortBy: "name" } }),
    createContact: () => account.contacts.post({ name: "Ada", email: "ada@example.com" }),
    getContact: () => contact.get(),
    updateContact: () => contact.patch({ email: null }),
    putContact: () => contacts.external(external).put({ accountId: ids.accountId, name: "Grace" }),
    getContactByExternalId: () => contacts.external(external).get(),
    deleteContactByExternalId: () => contacts.external(external).delete(),
    deleteContact: () => contact.delete(),

    listMeetingsOfAccount: () => account.meetings.get({ query: { sortBy: "startAt", externalId: "m" } }),
    createMeeting: () => account.meetings.post({ title: "Review", startAt, endAt }),
    getMeeting: () => meeting.get(),
    updateMeeting: () => meeting.patch({ title: "Quarterly review" }),
    putMeeting: () =>
      meetings.external(external).put({ accountId: ids.accountId, title: "Kick-off", startAt, endAt }),
    getMeetingByExternalId: () => meetings.external(external).get(),
    deleteMeetingByExternalId: () => meetings.external(external).delete(),
    deleteMeeting: () => meeting.delete(),

    listRequestsOfAccount: () => account.requests.get({ query: { status: "Open", sortBy: "severity" } }),
    createRequest: () => account.requests.post({ title: "SSO", severity: 4, requestedAt: startAt }),
    getRequest: () => request.get(),
    updateRequest: () => request.patch({ status: "Done" }),
    putRequest: () => requests.external(external).put({ accountId: ids.accountId, title: "SCIM" }),
    getRequestByExternalId: () => requests.external(external).get(),
    deleteRequestByExternalId: () => requests.external(external).delete(),
    deleteRequest: () => request.delete(),
    exportAccountsAsCsv: () => api.v1["accounts.csv"].get({ query: { status: "active" } }),
    exportAccountsAsJsonLines: () => api.v1["accounts.jsonl"].get({ query: { sortBy: "mrr" } }),
    listContacts: () => contacts.get({ query: { email: "ada@example.com" } }),
    listMeetings: () => meetings.get({ query: { sortBy: "endAt" } }),
    listRequests: () => requests.get({ query: { accountId: ids.accountId, status: "Planned" } }),

    sendEvents: () => events.post({ events: [event] }),
    listUnmatchedIds: () => events.unmatched.get({ query: { sortBy: "count" } }),
    sendSegmentBatch: () => v1.batch.post({ batch: [track], writeKey: "unused" }),
    importSegmentBatch: () => v1.import.post({ batch: [track] }),
    sendBrowserBatch: () => v1.b.post({ batch: [track] }),
    sendTrackCall: () => v1.track.post(call),
    sendIdentifyCall: () => v1.identify.post(traitsCall),
    sendGroupCall: () => v1.group.post(traitsCall),
    sendPageCall: () => v1.page.post(call),
    sendAliasCall: () => v1.alias.post(call),
    sendScreenCall: () => v1.screen.post(call),
    sendBrowserTrackCall: () => v1.t.post(call),
    sendBrowserIdentifyCall: () => v1.i.post(traitsCall),
    sendBrowserGroupCall: () => v1.g.post(traitsCall),
    sendBrowserPageCall: () => v1.p.post(call),
    sendBrowserAliasCall: () => v1.a.post(call),
    sendBrowserScreenCall: () => v1.s.post(call),
    getUsage: () => account.usage.get({ query: { from: "2026-01-01", event: "report.exported" } }),
    listUsage: () => usage.get({ query: { to: "2026-01-01", cursor: "" } }),
    rankAccountsByUsage: () => usage.accounts.get({ query: { event: "report.exported", pageSize: 10 } }),
    sendLastSeen: () => api.v1["last-seen"].post({ items: [item] }),
    getAccountHealth: () => account.health.get({ query: { asOf: startAt } }),
    getHealthHistory: () => account.health.history.get({ query: { from: "2026-01-01" } }),
    listHealth: () => health.get({ query: { tier: "at_risk", sortBy: "score" } }),
    getHealthSummary: () => health.summary.get(),
    upsertAccounts: () =>
      accounts.batch.post({ accounts: [{ externalId: "acme", contacts: [{ email: "ada@example.com" }] }] }),
    runBatch: () => api.v1.batch.post({ mode: "partial", operations: [operation] }),
    listKeys: () => api.v1.keys.get({ query: { page: 1 } }),
    createKey: () => api.v1.keys.post({ name: "import", scopes: ["read"], expiresAt: "2099-12-31" }),
    getKey: () => key.get(),
    revokeKey: () => key.delete(),
    erasePerson: () => api.v1.erasures.post({ email: "nobody@example.com" }),
    deleteAccount: () => account.delete({}, { query: { dryRun: "false" } }),
    getLiveness: () => livez.get(),
    getReadiness: () => readyz.get(),
  };
}
