// The shapes of fastify.mjs: what it lets in, and what its replies are written by.

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const boolean = { type: "boolean" };
const nullable = { type: "string", nullable: true };
const wholeNumber = { type: "string", pattern: "^(0|[1-9][0-9]{0,15})$" };

const name = { type: "string", minLength: 1, maxLength: 255, pattern: "\\S" };
const externalId = { type: "string", maxLength: 255 };

export const accountPath = {
  type: "object",
  required: ["accountId"],
  properties: { accountId: wholeNumber },
};

export const accountListQuery = {
  type: "object",
  properties: {
    page: { type: "string", pattern: "^[1-9][0-9]{0,14}$", default: "1" },
    pageSize: { type: "string", pattern: "^([1-9][0-9]?|100)$", default: "25" },
    search: { type: "string", maxLength: 255 },
    externalId,
    status: { enum: ["active", "onboarding", "churned", "inactive"] },
    sortBy: { enum: ["name", "mrr", "createdAt", "updatedAt"], default: "name" },
    sortOrder: { enum: ["asc", "desc"], default: "asc" },
  },
};

export const newAccountBody = {
  type: "object",
  required: ["name"],
  properties: {
    name,
    externalId,
    mrr: { type: "number", default: 0 },
    status: { enum: ["active", "onboarding", "churned"], default: "active" },
    contactName: name,
    contactEmail: { type: "string", maxLength: 254, format: "email" },
  },
};

export const accountChangesBody = {
  type: "object",
  properties: {
    name,
    externalId: { ...externalId, nullable: true },
    mrr: number,
    status: { enum: ["active", "onboarding", "churned", "inactive"] },
    logoUrl: { type: "string", maxLength: 2048, format: "uri", nullable: true },
    contactActivityAt: {
      anyOf: [
        { type: "null" },
        { type: "string", format: "iso-date-time" },
        { type: "string", format: "date" },
      ],
    },
  },
};

export const eventsBody = {
  type: "object",
  required: ["events"],
  properties: {
    events: {
      type: "array",
      maxItems: 1000,
      items: {
        type: "object",
        required: ["event"],
        properties: {
          event: { type: "string", minLength: 1, maxLength: 128, pattern: "\\S" },
          externalId: { type: "string", minLength: 1, maxLength: 255 },
          accountId: { type: "integer", minimum: 0 },
          messageId: { type: "string", maxLength: 255, nullable: true },
          timestamp: { type: "string", format: "iso-date-time" },
          userId: { type: "string", maxLength: 255, nullable: true },
          properties: { type: "object", nullable: true, additionalProperties: true },
        },
      },
    },
  },
};

const before = {
  id: integer,
  name: text,
  externalId: nullable,
  mrr: number,
  active: boolean,
  churned: boolean,
  onboarding: boolean,
};
const after = { createdAt: text, updatedAt: text };
const listed = { ...before, logoUrl: nullable, ...after };

export const accountReply = dataOf({
  ...listed,
  contacts: listOf({ id: integer, name: text, email: nullable }),
  meetings: listOf({ id: integer, title: text, startAt: text, endAt: text }),
  requests: listOf({ id: integer, title: text, status: text, severity: integer, requestedAt: text }),
});
export const createdReply = dataOf({ ...before, ...after });
export const updatedReply = dataOf({ ...before, contactActivityAt: nullable, ...after });
export const pageReply = {
  type: "object",
  properties: {
    data: listOf(listed),
    pagination: {
      type: "object",
      properties: {
        page: integer,
        pageSize: integer,
        total: integer,
        totalPages: integer,
        hasNextPage: boolean,
        hasPrevPage: boolean,
      },
    },
  },
};
export const receiptReply = dataOf({
  accepted: integer,
  duplicates: integer,
  parked: integer,
  rejected: integer,
  ignored: integer,
  undeduplicated: integer,
  items: listOf({ index: integer, code: text, detail: text }),
});

function listOf(properties) {
  return { type: "array", items: { type: "object", properties } };
}

function dataOf(properties) {
  return { type: "object", properties: { data: { type: "object", properties } } };
}
