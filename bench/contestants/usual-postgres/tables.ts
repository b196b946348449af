import { bigint, customType, doublePrecision, pgTable, primaryKey, text } from "drizzle-orm/pg-core";

const integer = (name: string) => bigint(name, { mode: "number" });
/** Milliseconds since 1970 in the database. */
const timestamp = customType<{ data: Date; driverData: number | string }>({
  dataType: () => "bigint",
  fromDriver: (milliseconds) => new Date(Number(milliseconds)),
  toDriver: (date) => date.getTime(),
});
const id = () => integer("id").primaryKey().generatedByDefaultAsIdentity();

export const apiKeys = pgTable("api_keys", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  hash: text("hash").notNull(),
  expiresAt: timestamp("expires_at"),
  revokedAt: timestamp("revoked_at"),
});

export const accounts = pgTable("accounts", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  externalId: text("external_id"),
  foldedExternalId: text("folded_external_id"),
  mrr: doublePrecision("mrr").notNull(),
  status: text("status", { enum: ["active", "onboarding", "churned", "inactive"] }).notNull(),
  logoUrl: text("logo_url"),
  contactActivityAt: timestamp("contact_activity_at"),
  createdAt: timestamp("created_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
});

export const contacts = pgTable("contacts", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  email: text("email"),
  foldedEmail: text("folded_email"),
  createdAt: timestamp("created_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
});

export const meetings = pgTable("meetings", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  title: text("title").notNull(),
  startAt: timestamp("start_at").notNull(),
  endAt: timestamp("end_at").notNull(),
});

export const requests = pgTable("requests", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  title: text("title").notNull(),
  status: text("status").notNull(),
  severity: integer("severity").notNull(),
  requestedAt: timestamp("requested_at").notNull(),
});

export const events = pgTable("events", {
  id: id(),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id"),
  messageId: text("message_id"),
  event: text("event").notNull(),
  timestamp: timestamp("timestamp").notNull(),
  userId: text("user_id"),
  properties: text("properties"),
  receivedAt: timestamp("received_at").notNull(),
});

export const usageDays = pgTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    count: integer("count").notNull(),
    users: integer("users").notNull(),
    firstAt: timestamp("first_at").notNull(),
    lastAt: timestamp("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.day, table.event] })],
);

export const usageUsers = pgTable(
  "usage_users",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    userId: text("user_id").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.accountId, table.day, table.event, table.userId],
    }),
  ],
);
