import { type Case, created, createdNow, updated } from "./recorded-world.ts";

const active = { status: "active", active: true, churned: false, onboarding: false };
const churned = { status: "churned", active: false, churned: true, onboarding: false };
const onboarding = { status: "onboarding", active: false, churned: false, onboarding: true };
const acme = { id: 1, name: "Acme", externalId: "acme", mrr: 0, ...active, logoUrl: null, ...created };

const accountUpdate = { type: "account.updated", resourceId: 1, accountId: 1 };
const accountDelete = {
  type: "account.deleted",
  resourceId: 1,
  accountId: 1,
  before: { ...acme, attributes: {}, contactActivityAt: null },
  after: null,
};
/** Every way to change an account. */
export const accountCases: Case[] = [
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
          attributes: {},
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
          attributes: {},
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
          userId: null,
          lastSeenAt: null,
          attributes: {},
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
          attributes: {},
          ...createdNow,
        },
      },
    ],
    at: "/api/v1/accounts/3",
  },
  { send: ["DELETE", "/api/v1/accounts/1"], records: [accountDelete] },
  { send: ["DELETE", "/api/v1/accounts/external/acme"], records: [accountDelete] },
];
