import type { Recorded } from "./change-world.ts";
import { type Case, created, createdNow, times, updated } from "./recorded-world.ts";

const contact = { id: 1, accountId: 1, externalId: "x", name: "Ada", email: "ada@x.io", ...created };
const meeting = { id: 1, accountId: 1, externalId: "x", title: "Kickoff", ...created };
const request = { id: 1, accountId: 1, externalId: "x", title: "SSO", severity: 3, ...created };
const open = { status: "Open", requestedAt: created.createdAt, resolvedAt: null };
const now = createdNow.createdAt;

/** The eight ways to change a contact, a meeting or a request. */
function casesOf(
  noun: "contact" | "meeting" | "request",
  /** The existing row, the body to create another one, and the members of that one in the change. */
  existing: object,
  body: object,
  createdMembers: object,
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
    after: { id: 2, accountId, externalId, ...createdMembers, ...createdNow },
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
          accountId: 2,
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

/** Every way to change a contact, a meeting or a request. */
export const subResourceCases: Case[] = [
  {
    send: ["PATCH", "/api/v1/contacts/1", { attributes: { role: "CTO" } }],
    records: [
      {
        type: "contact.updated",
        resourceId: 1,
        accountId: 1,
        before: { attributes: { role: null }, ...updated.before },
        after: { attributes: { role: "CTO" }, ...updated.after },
      },
    ],
    at: "/api/v1/contacts/1",
  },
  ...casesOf(
    "contact",
    { ...contact, userId: null, lastSeenAt: null, attributes: {} },
    { name: "Bob", email: "Bob@x.io" },
    { name: "Bob", email: "Bob@x.io", userId: null, lastSeenAt: null, attributes: {} },
    [{ email: "ada@x.io" }, { email: null }],
  ),
  ...casesOf(
    "meeting",
    { ...meeting, ...times },
    { title: "Review", startAt: "2026-02-01", endAt: "2026-02-02" },
    { title: "Review", startAt: "2026-02-01T00:00:00.000Z", endAt: "2026-02-02T00:00:00.000Z" },
    [{ endAt: times.endAt }, { endAt: "2026-01-01T12:00:00.000Z" }],
  ),
  ...casesOf(
    "request",
    { ...request, ...open },
    { title: "SCIM", status: "Done", severity: 5 },
    { title: "SCIM", status: "Done", severity: 5, requestedAt: now, resolvedAt: now },
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
        after: { status: "Declined", resolvedAt: now, ...updated.after },
      },
    ],
    at: "/api/v1/requests/1",
  },
];
