import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { changeWorld, hour, type Recorded } from "./change-world.ts";

type World = Awaited<ReturnType<typeof changeWorld>>;
/** A request, what it records, and where the changed row is read; nowhere after a delete. */
type Case = { send: [method: string, path: string, body?: object]; records: Recorded[]; at?: string };

const created = { createdAt: beginningText, updatedAt: beginningText };
const nextHour = new Date(Date.parse(beginningText) + hour).toISOString();
const createdNow = { createdAt: nextHour, updatedAt: nextHour };
/** Both sides of an update have the timestamp of the last change. */
const updated = { before: { updatedAt: beginningText }, after: { updatedAt: nextHour } };
const active = { status: "active", active: true, churned: false, onboarding: false };
const churned = { status: "churned", active: false, churned: true, onboarding: false };
const onboarding = { status: "onboarding", active: false, churned: false, onboarding: true };

/** What exists before each request: account 1 has contact 1, meeting 1 and request 1, account 2 has nothing. */
const acme = { id: 1, name: "Acme", externalId: "acme", mrr: 0, ...active, logoUrl: null, ...created };
const contact = { id: 1, accountId: 1, externalId: "x", name: "Ada", email: "ada@x.io", ...created };
const meeting = { id: 1, accountId: 1, externalId: "x", title: "Kickoff", ...created };
const times = { startAt: "2026-01-01T10:00:00.000Z", endAt: "2026-01-01T11:00:00.000Z" };
const request = { id: 1, accountId: 1, externalId: "x", title: "SSO", severity: 3, ...created };
const open = { status: "Open", requestedAt: beginningText, resolvedAt: null };

async function furnished(): Promise<World> {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", externalId: "acme" });
  await here.send("POST", "/api/v1/accounts", { name: "Globex" });
  const below = "/api/v1/accounts/1";
  await here.send("POST", `${below}/contacts`, { name: "Ada", email: "ada@x.io", externalId: "x" });
  await here.send("POST", `${below}/meetings`, { title: "Kickoff", externalId: "x", ...times });
  await here.send("POST", `${below}/requests`, { title: "SSO", externalId: "x" });
  here.pass(hour);
  return here;
}

const accountUpdate = { type: "account.updated", resourceId: 1, accountId: 1 };
const accountDelete = {
  type: "account.deleted",
  resourceId: 1,
  accountId: 1,
  before: { ...acme, contactActivityAt: null },
  after: null,
};
const accountCases: Case[] = [
  {
    send: ["POST", "/api/v1/accounts", { name: "Initech", mrr: 12.5, status: "onboarding" }],
    records: [
      {
        type: "account.created",
        resourceId: 3,
        accountId: 3,
        before: null,
        after: {
          id: 3,
          name: "Initech",
          externalId: null,
          mrr: 12.5,
          ...onboarding,
          logoUrl: null,
          contactActivityAt: null,
          ...createdNow,
        },
      },
    ],
    at: "/api/v1/accounts/3",
  },
  {
    send: ["POST", "/api/v1/accounts", { name: "Initech", contactName: "Bill", contactEmail: "b@x.io" }],
    records: [
      {
        type: "account.created",
        resourceId: 3,
        accountId: 3,
        before: null,
        after: {
          id: 3,
          name: "Initech",
          externalId: null,
          mrr: 0,
          ...active,
          logoUrl: null,
          contactActivityAt: null,
          ...createdNow,
        },
      },
      {
        type: "contact.created",
        resourceId: 2,
        accountId: 3,
        before: null,
        after: {
          id: 2,
          accountId: 3,
          externalId: null,
          name: "Bill",
          email: "b@x.io",
          lastSeenAt: null,
          ...createdNow,
        },
      },
    ],
    at: "/api/v1/contacts/2",
  },
  {
    send: ["PATCH", "/api/v1/accounts/1", { name: "Acme Inc.", mrr: 0, status: "churned" }],
    records: [
      {
        ...accountUpdate,
        // The third flag is false before and after.
        before: { name: "Acme", status: "active", active: true, churned: false, ...updated.before },
        after: { name: "Acme Inc.", status: "churned", active: false, churned: true, ...updated.after },
      },
    ],
    at: "/api/v1/accounts/1",
  },
  {
    send: [
      "PATCH",
      "/api/v1/accounts/1",
      { externalId: null, logoUrl: "https://x.io/a.png", contactActivityAt: "2026-01-01" },
    ],
    records: [
      {
        ...accountUpdate,
        before: { externalId: "acme", logoUrl: null, contactActivityAt: null, ...updated.before },
        after: {
          externalId: null,
          logoUrl: "https://x.io/a.png",
          contactActivityAt: "2026-01-01T00:00:00.000Z",
          ...updated.after,
        },
      },
    ],
    at: "/api/v1/accounts/1",
  },
  {
    send: ["PATCH", "/api/v1/accounts/external/acme", { externalId: "acme-2", mrr: 1.5 }],
    records: [
      {
        ...accountUpdate,
        before: { externalId: "acme", mrr: 0, ...updated.before },
        after: { externalId: "acme-2", mrr: 1.5, ...updated.after },
      },
    ],
    at: "/api/v1/accounts/1",
  },
  {
    send: ["PUT", "/api/v1/accounts/external/acme", { name: "Acme", mrr: 3 }],
    records: [
      { ...accountUpdate, before: { mrr: 0, ...updated.before }, after: { mrr: 3, ...updated.after } },
    ],
    at: "/api/v1/accounts/1",
  },
  {
    send: ["PUT", "/api/v1/accounts/external/initech", { name: "Initech", status: "churned" }],
    records: [
      {
        type: "account.created",
        resourceId: 3,
        accountId: 3,
        before: null,
        after: {
          id: 3,
          name: "Initech",
          externalId: "initech",
          mrr: 0,
          ...churned,
          logoUrl: null,
          contactActivityAt: null,
          ...createdNow,
        },
      },
    ],
    at: "/api/v1/accounts/3",
  },
  { send: ["DELETE", "/api/v1/accounts/1"], records: [accountDelete] },
  { send: ["DELETE", "/api/v1/accounts/external/acme"], records: [accountDelete] },
];

/** The eight ways to change a contact, a meeting or a request. */
function subResourceCases(
  noun: "contact" | "meeting" | "request",
  /** The row that exists, what makes another one, and what that has besides. */
  existing: object,
  body: object,
  whole: object,
  /** A change of one member. */
  [old, changed]: [object, object],
): Case[] {
  const rows = `/api/v1/${noun}s`;
  const update: Recorded = {
    type: `${noun}.updated`,
    resourceId: 1,
    accountId: 1,
    before: { ...old, ...updated.before },
    after: { ...changed, ...updated.after },
  };
  const create = (accountId: number, externalId: string | null): Recorded => ({
    type: `${noun}.created`,
    resourceId: 2,
    accountId,
    before: null,
    after: { id: 2, accountId, externalId, ...whole, ...createdNow },
  });
  const deletion: Recorded = {
    type: `${noun}.deleted`,
    resourceId: 1,
    accountId: 1,
    before: { ...existing },
    after: null,
  };
  return [
    { send: ["POST", `/api/v1/accounts/2/${noun}s`, body], records: [create(2, null)], at: `${rows}/2` },
    { send: ["PATCH", `${rows}/1`, changed], records: [update], at: `${rows}/1` },
    { send: ["PUT", `${rows}/external/x`, changed], records: [update], at: `${rows}/1` },
    {
      send: ["PUT", `${rows}/external/y`, { ...body, accountExternalId: "acme" }],
      records: [create(1, "y")],
      at: `${rows}/2`,
    },
    {
      send: ["PUT", `${rows}/external/x`, { accountId: 2 }],
      records: [
        {
          ...update,
          before: { accountId: 1, ...updated.before },
          after: { accountId: 2, ...updated.after },
        },
      ],
      at: `${rows}/1`,
    },
    {
      send: ["PATCH", `${rows}/1`, { externalId: "" }],
      records: [
        {
          ...update,
          before: { externalId: "x", ...updated.before },
          after: { externalId: null, ...updated.after },
        },
      ],
      at: `${rows}/1`,
    },
    { send: ["DELETE", `${rows}/1`], records: [deletion] },
    { send: ["DELETE", `${rows}/external/x`], records: [deletion] },
  ];
}

const cases: Case[] = [
  ...accountCases,
  ...subResourceCases(
    "contact",
    { ...contact, lastSeenAt: null },
    { name: "Bob", email: "Bob@x.io" },
    { name: "Bob", email: "Bob@x.io", lastSeenAt: null },
    [{ email: "ada@x.io" }, { email: null }],
  ),
  ...subResourceCases(
    "meeting",
    { ...meeting, ...times },
    { title: "Review", startAt: "2026-02-01", endAt: "2026-02-02" },
    { title: "Review", startAt: "2026-02-01T00:00:00.000Z", endAt: "2026-02-02T00:00:00.000Z" },
    [{ endAt: times.endAt }, { endAt: "2026-01-01T12:00:00.000Z" }],
  ),
  ...subResourceCases(
    "request",
    { ...request, ...open },
    { title: "SCIM", status: "Done", severity: 5 },
    { title: "SCIM", status: "Done", severity: 5, requestedAt: nextHour, resolvedAt: nextHour },
    [{ severity: 3 }, { severity: 4 }],
  ),
  {
    send: ["PATCH", "/api/v1/requests/1", { status: "Declined" }],
    records: [
      {
        type: "request.updated",
        resourceId: 1,
        accountId: 1,
        before: { status: "Open", resolvedAt: null, ...updated.before },
        after: { status: "Declined", resolvedAt: nextHour, ...updated.after },
      },
    ],
    at: "/api/v1/requests/1",
  },
];

/** What a GET of an account does not show. */
const hidden = new Set(["status", "contactActivityAt"]);
const titled = cases.map((one) => [one.send.map((part) => JSON.stringify(part)).join(" "), one] as const);

test.each(titled)(
  "the change log has exactly what a request changed, with the stored values: %s",
  async (_title, { send: [method, path, body], records, at }) => {
    const here = await furnished();
    const recorded = await here.recordedBy(() => here.send(method, path, body));
    expect(recorded).toEqual(here.expected(5, ...records));
    if (at === undefined) return;
    const stored = await here.send("GET", at);
    const after = Object.entries(records.at(-1)?.after ?? {});
    const shown = after.filter(([name]) => !at.includes("accounts") || !hidden.has(name));
    expect(stored).toMatchObject(Object.fromEntries(shown));
  },
);
