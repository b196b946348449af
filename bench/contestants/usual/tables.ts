import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const apiKeys = sqliteTable("api_keys", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  hash: text("hash").notNull(),
  expiresAt: integer("expires_at", { mode: "timestamp_ms" }),
  revokedAt: integer("revoked_at", { mode: "timestamp_ms" }),
});

export const accounts = sqliteTable("accounts", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  externalId: text("external_id"),
  foldedExternalId: text("folded_external_id"),
  mrr: real("mrr").notNull(),
  status: text("status", { enum: ["active", "onboarding", "churned", "inactive"] }).notNull(),
  logoUrl: text("logo_url"),
  contactActivityAt: integer("contact_activity_at", { mode: "timestamp_ms" }),
  createdAt: integer("created_at", { mode: "timestamp_ms" }).notNull(),
  updatedAt: integer("updated_at", { mode: "timestamp_ms" }).notNull(),
});

export const contacts = sqliteTable("contacts", {
  id: integer("id").primaryKey(),
  accountId: integer("account_id").notNull(),
  name: text("name").notNull(),
  email: text("email"),
});

export const meetings = sqliteTable("meetings", {
  id: integer("id").primaryKey(),
  accountId: integer("account_id").notNull(),
  title: text("title").notNull(),
  startAt: integer("start_at", { mode: "timestamp_ms" }).notNull(),
  endAt: integer("end_at", { mode: "timestamp_ms" }).notNull(),
});

export const requests = sqliteTable("requests", {
  id: integer("id").primaryKey(),
  accountId: integer("account_id").notNull(),
  title: text("title").notNull(),
  status: text("status").notNull(),
  severity: integer("severity").notNull(),
  requestedAt: integer("requested_at", { mode: "timestamp_ms" }).notNull(),
});

export const events = sqliteTable("events", {
  id: integer("id").primaryKey(),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  messageId: text("message_id"),
  event: text("event").notNull(),
  timestamp: integer("timestamp", { mode: "timestamp_ms" }).notNull(),
  userId: text("user_id"),
  properties: text("properties", { mode: "json" }),
  receivedAt: integer("received_at", { mode: "timestamp_ms" }).notNull(),
});

export const usageDays = sqliteTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    count: integer("count").notNull(),
    users: integer("users").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.day, table.event] })],
);

export const usageUsers = sqliteTable(
  "usage_users",
  {
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    userId: text("user_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.day, table.event, table.userId] })],
);
