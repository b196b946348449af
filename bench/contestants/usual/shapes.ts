import { t } from "elysia";

const nullable = t.Union([t.String(), t.Null()]);
const name = t.String({ minLength: 1, maxLength: 255, pattern: "\\S" });
const externalId = t.String({ maxLength: 255 });
const anyStatus = t.Union([
  t.Literal("active"),
  t.Literal("onboarding"),
  t.Literal("churned"),
  t.Literal("inactive"),
]);

export const AccountPath = t.Object({ accountId: t.Numeric({ minimum: 0, multipleOf: 1 }) });

export const AccountListQuery = t.Object({
  page: t.Numeric({ minimum: 1, multipleOf: 1, default: 1 }),
  pageSize: t.Numeric({ minimum: 1, maximum: 100, multipleOf: 1, default: 25 }),
  search: t.Optional(t.String({ maxLength: 255 })),
  externalId: t.Optional(externalId),
  status: t.Optional(anyStatus),
  sortBy: t.Union([t.Literal("name"), t.Literal("mrr"), t.Literal("createdAt"), t.Literal("updatedAt")], {
    default: "name",
  }),
  sortOrder: t.Union([t.Literal("asc"), t.Literal("desc")], { default: "asc" }),
});

export const NewAccountBody = t.Object({
  name,
  externalId: t.Optional(externalId),
  mrr: t.Number({ default: 0 }),
  status: t.Union([t.Literal("active"), t.Literal("onboarding"), t.Literal("churned")], {
    default: "active",
  }),
  contactName: t.Optional(name),
  contactEmail: t.Optional(t.String({ maxLength: 254, format: "email" })),
});

export const AccountChangesBody = t.Partial(
  t.Object({
    name,
    externalId: t.Union([externalId, t.Null()]),
    mrr: t.Number(),
    status: anyStatus,
    logoUrl: t.Union([t.String({ maxLength: 2048, format: "uri" }), t.Null()]),
    contactActivityAt: t.Union([t.String({ format: "date-time" }), t.String({ format: "date" }), t.Null()]),
  }),
);

export const EventsBody = t.Object({
  events: t.Array(
    t.Object({
      event: t.String({ minLength: 1, maxLength: 128, pattern: "\\S" }),
      externalId: t.String({ minLength: 1, maxLength: 255 }),
      messageId: t.Optional(t.String({ maxLength: 255 })),
      timestamp: t.Optional(t.String({ format: "date-time" })),
      userId: t.Optional(t.String({ maxLength: 255 })),
      properties: t.Optional(t.Record(t.String(), t.Unknown())),
    }),
    { maxItems: 1000 },
  ),
});

const before = {
  id: t.Integer(),
  name: t.String(),
  externalId: nullable,
  mrr: t.Number(),
  active: t.Boolean(),
  churned: t.Boolean(),
  onboarding: t.Boolean(),
};
const after = { createdAt: t.String(), updatedAt: t.String() };
const listed = { ...before, logoUrl: nullable, ...after };

export const AccountReply = t.Object({
  data: t.Object({
    ...listed,
    contacts: t.Array(t.Object({ id: t.Integer(), name: t.String(), email: nullable })),
    meetings: t.Array(
      t.Object({ id: t.Integer(), title: t.String(), startAt: t.String(), endAt: t.String() }),
    ),
    requests: t.Array(
      t.Object({
        id: t.Integer(),
        title: t.String(),
        status: t.String(),
        severity: t.Integer(),
        requestedAt: t.String(),
      }),
    ),
  }),
});
export const CreatedReply = t.Object({ data: t.Object({ ...before, ...after }) });
export const UpdatedReply = t.Object({
  data: t.Object({ ...before, contactActivityAt: nullable, ...after }),
});
export const PageReply = t.Object({
  data: t.Array(t.Object(listed)),
  pagination: t.Object({
    page: t.Integer(),
    pageSize: t.Integer(),
    total: t.Integer(),
    totalPages: t.Integer(),
    hasNextPage: t.Boolean(),
    hasPrevPage: t.Boolean(),
  }),
});
export const ReceiptReply = t.Object({
  data: t.Object({
    accepted: t.Integer(),
    duplicates: t.Integer(),
    parked: t.Integer(),
    rejected: t.Integer(),
    ignored: t.Integer(),
    undeduplicated: t.Integer(),
    items: t.Array(t.Object({ index: t.Integer(), code: t.String(), detail: t.String() })),
  }),
});
