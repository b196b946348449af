import { integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The one description of every row. `migrations/` makes the same tables (a test compares the two).
 * Times are milliseconds since 1970 UTC, as numbers; no column converts its value.
 */

export const accountStatuses = ["active", "onboarding", "churned", "inactive"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"] as const;
export type RequestStatus = (typeof requestStatuses)[number];

export const organizations = sqliteTable("organizations", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const apiKeys = sqliteTable("api_keys", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  name: text("name").notNull(),
  hash: text("hash").notNull(),
  lastFour: text("last_four").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  revokedAt: integer("revoked_at"),
  lastUsedAt: integer("last_used_at"),
});

export const accounts = sqliteTable("accounts", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  externalId: text("external_id"),
  foldedExternalId: text("folded_external_id"),
  mrr: real("mrr").notNull(),
  status: text("status", { enum: accountStatuses }).notNull(),
  logoUrl: text("logo_url"),
  contactActivityAt: integer("contact_activity_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** How many accounts an organization has in each status; moved in the transaction that moves an account. */
export const accountCounts = sqliteTable(
  "account_counts",
  {
    organizationId: integer("organization_id").notNull(),
    status: text("status", { enum: accountStatuses }).notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.status] })],
);

export const contacts = sqliteTable("contacts", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  externalId: text("external_id"),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull(),
  email: text("email"),
  foldedEmail: text("folded_email"),
  lastSeenAt: integer("last_seen_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const meetings = sqliteTable("meetings", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  externalId: text("external_id"),
  title: text("title").notNull(),
  foldedTitle: text("folded_title").notNull(),
  startAt: integer("start_at").notNull(),
  endAt: integer("end_at").notNull(),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});

export const requests = sqliteTable("requests", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id").notNull(),
  externalId: text("external_id"),
  title: text("title").notNull(),
  foldedTitle: text("folded_title").notNull(),
  status: text("status", { enum: requestStatuses }).notNull(),
  severity: integer("severity").notNull(),
  requestedAt: integer("requested_at").notNull(),
  /** When the request became Done or Declined; null in every other status. */
  resolvedAt: integer("resolved_at"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
});
