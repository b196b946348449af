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

export const featureRequests = sqliteTable("requests", {
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

/** A usage event as it was received; parked while it has an `externalId`, which no account has yet. */
export const events = sqliteTable("events", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  accountId: integer("account_id"),
  externalId: text("external_id"),
  messageId: text("message_id"),
  event: text("event").notNull(),
  timestamp: integer("timestamp").notNull(),
  userId: text("user_id"),
  /** JSON text. */
  properties: text("properties"),
  receivedAt: integer("received_at").notNull(),
});

/** The external ids that parked events name. */
export const unmatchedIds = sqliteTable("unmatched_ids", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  organizationId: integer("organization_id").notNull(),
  externalId: text("external_id").notNull(),
  count: integer("count").notNull(),
  firstAt: integer("first_at").notNull(),
  lastAt: integer("last_at").notNull(),
});

/** How often an account did something on a UTC day (days since 1970), and by how many users. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    count: integer("count").notNull(),
    users: integer("users").notNull(),
    /** The first of the users, as long as they are remembered. */
    firstUser: text("first_user"),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.day, table.event] })],
);

/** The users of a day but its first. */
export const usageUsers = sqliteTable(
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

export const expiringDays = sqliteTable(
  "expiring_days",
  {
    organizationId: integer("organization_id").notNull(),
    day: integer("day").notNull(),
    accountId: integer("account_id").notNull(),
    event: text("event").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.day, table.accountId, table.event] })],
);

/** When each other platform last saw somebody of an account. */
export const lastSeen = sqliteTable(
  "last_seen",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    source: text("source").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.source] })],
);

/** What a score amounts to: from 80, from 60, from 40, and below. */
export const healthTiers = ["healthy", "attention", "at_risk", "critical"] as const;
export type HealthTier = (typeof healthTiers)[number];

/** The score that an account has until `changesAt`, and what lists of scores are ordered by. */
export const accountHealth = sqliteTable(
  "account_health",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    score: real("score"),
    tier: text("tier", { enum: healthTiers }),
    coverage: real("coverage").notNull(),
    /** The score; where there is none, more than any. */
    rank: real("rank").notNull(),
    mrr: real("mrr").notNull(),
    foldedName: text("folded_name").notNull(),
    changesAt: integer("changes_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId] })],
);

/** Up to which event the scores of an organization are worked out. */
export const healthProgress = sqliteTable("health_progress", {
  organizationId: integer("organization_id").primaryKey(),
  lastEventId: integer("last_event_id").notNull(),
});
