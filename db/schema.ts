import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  foreignKey,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { accountStatuses } from "../src/shared/fields/accounts.ts";
import { requestStatuses } from "../src/shared/fields/requests.ts";
import { healthTiers } from "../src/shared/fields/tiers.ts";

/**
 * The tables: columns, keys, uniques, indexes, foreign keys. The migrations create the same database (a test compares
 * both), and have the CHECKs: of a table with frequent inserts with OR, because for IN with three or more values SQLite
 * builds a table at each insert. Timestamps are milliseconds since 1970 UTC; no column converts its values. Every table
 * is STRICT; a table with a composite primary key has no rowid.
 */

export type AccountStatus = (typeof accountStatuses)[number];
export type RequestStatus = (typeof requestStatuses)[number];

/** The `rank` of an account without a score: higher than any score. */
export const UNSCORED_RANK = 101;
/** The `scoreStaleAt` of an account whose score has to be recomputed now. */
export const SCORE_DUE_NOW = 0;
/** The `activityAt` of an account without contact activity: later than any timestamp. */
export const NO_ACTIVITY = Number.MAX_SAFE_INTEGER;

export const organizations = sqliteTable("organizations", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  name: text("name").notNull(),
  foldedName: text("folded_name").notNull().unique(),
  createdAt: integer("created_at").notNull(),
  /** Set while the organization's rows are being deleted. */
  deletedAt: integer("deleted_at"),
  /** Set while the file may have what erased rows left in it: `src/core/file-erasure.ts`. */
  erasurePendingSince: integer("erasure_pending_since"),
  /** The ISO 4217 code of the currency of every `mrr`. */
  currency: text("currency"),
  /** The BCP 47 tag of the locale whose number format the console uses; null: each browser's. */
  numberFormat: text("number_format"),
});

const organizationId = () =>
  integer("organization_id")
    .notNull()
    .references(() => organizations.id);

/** The number of stored changes of the members that callers set, from 1. */
const version = () => integer("version").notNull().default(1);

/** The JSON object of the attributes of a row, sorted by name. */
const attributes = () => text("attributes").notNull().default("{}");

/** When each member of a row was last set: a JSON object of timestamps, written while the organization has traits on. */
const memberTimes = () => text("member_times");

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    organizationId: organizationId(),
    name: text("name").notNull(),
    hash: text("hash").notNull().unique(),
    lastFour: text("last_four").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    lastUsedAt: integer("last_used_at"),
    /** A comma list. */
    scopes: text("scopes").notNull().default("read,write,events"),
    /** Requests per minute; null: the limit of the server. */
    rateLimit: integer("rate_limit"),
  },
  (table) => [
    index("api_keys_organization").on(table.organizationId, table.id),
    index("api_keys_created").on(table.organizationId, table.createdAt, table.id),
  ],
);

/** Partial, because most accounts are active: these indexes add nothing to the cost of creating one. */
const statusIndex = (name: string, table: OwnedStatus, ...columns: AnySQLiteColumn[]) =>
  index(`accounts_status_${name}`)
    .on(table.organizationId, table.status, ...columns)
    .where(sql`${table.status} <> 'active'`);
type OwnedStatus = { organizationId: AnySQLiteColumn; status: AnySQLiteColumn };

export const accounts = sqliteTable(
  "accounts",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    organizationId: organizationId(),
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
    score: real("score"),
    tier: text("tier", { enum: healthTiers }),
    coverage: real("coverage").notNull().default(0),
    /** The score, or UNSCORED_RANK: the sort column of lists by score. */
    rank: real("rank").notNull().default(UNSCORED_RANK),
    /** The time from which the score has to be recomputed; null: never. */
    scoreStaleAt: integer("score_stale_at"),
    version: version(),
    /** The contact activity of all sources, or NO_ACTIVITY: stored by the score job. */
    activityAt: integer("activity_at").notNull().default(NO_ACTIVITY),
    attributes: attributes(),
    memberTimes: memberTimes(),
    /** When the score or the tier last changed. */
    scoredAt: integer("scored_at"),
  },
  (table) => [
    unique().on(table.organizationId, table.id),
    unique().on(table.organizationId, table.externalId),
    // For name order and search. A search finds its matches in this index alone: it has the texts and the status.
    index("accounts_name").on(
      table.organizationId,
      table.foldedName,
      table.id,
      table.foldedExternalId,
      table.status,
    ),
    index("accounts_mrr").on(table.organizationId, table.mrr, table.id, table.status),
    index("accounts_created_at").on(table.organizationId, table.createdAt, table.id, table.status),
    index("accounts_updated_at").on(table.organizationId, table.updatedAt, table.id, table.status),
    statusIndex("name", table, table.foldedName, table.id, table.foldedExternalId),
    statusIndex("mrr", table, table.mrr, table.id),
    statusIndex("created_at", table, table.createdAt, table.id),
    statusIndex("updated_at", table, table.updatedAt, table.id),
    statusIndex("rank", table, table.rank, table.id),
    statusIndex("activity", table, table.activityAt, table.id),
    index("accounts_activity").on(table.organizationId, table.activityAt, table.id, table.status),
    // For lists by score, and for the summary of health, which reads no row.
    index("accounts_rank").on(table.organizationId, table.rank, table.id, table.tier, table.mrr),
    index("accounts_score_stale")
      .on(table.organizationId, table.scoreStaleAt)
      .where(sql`${table.scoreStaleAt} IS NOT NULL`),
    index("accounts_tier_mrr")
      .on(table.organizationId, table.tier, table.mrr, table.id)
      .where(sql`${table.tier} IS NOT NULL`),
    index("accounts_tier_name")
      .on(table.organizationId, table.tier, table.foldedName, table.id)
      .where(sql`${table.tier} IS NOT NULL`),
  ],
);

/** `account_counts.tier` of accounts without a score. */
export const UNSCORED = "none";
/** The divisor of sums of `mrr`: a power of two is exact, and no sum overflows. */
export const MRR_SCALE = 2 ** 40;

/** The number of an organization's accounts in each status and tier. */
export const accountCounts = sqliteTable(
  "account_counts",
  {
    organizationId: organizationId(),
    status: text("status", { enum: accountStatuses }).notNull(),
    tier: text("tier", { enum: [...healthTiers, UNSCORED] }).notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.status, table.tier] })],
);

/** The foreign key of a row to its account. */
function ofAccount(table: { organizationId: AnySQLiteColumn; accountId: AnySQLiteColumn }) {
  return foreignKey({
    columns: [table.organizationId, table.accountId],
    foreignColumns: [accounts.organizationId, accounts.id],
  });
}

export const contacts = sqliteTable(
  "contacts",
  {
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
    version: version(),
    attributes: attributes(),
    /** The id of the person in the product. */
    userId: text("user_id"),
    memberTimes: memberTimes(),
  },
  (table) => [
    unique().on(table.organizationId, table.externalId),
    unique().on(table.organizationId, table.accountId, table.foldedEmail),
    uniqueIndex("contacts_user")
      .on(table.organizationId, table.userId)
      .where(sql`${table.userId} IS NOT NULL`),
    ofAccount(table),
    // Covers the list that an account embeds.
    index("contacts_account").on(table.organizationId, table.accountId, table.id, table.name, table.email),
    index("contacts_email")
      .on(table.organizationId, table.foldedEmail, table.id)
      .where(sql`${table.foldedEmail} IS NOT NULL`),
    // For the contacts of the organization.
    index("contacts_name").on(table.organizationId, table.foldedName, table.id, table.foldedEmail),
    index("contacts_created_at").on(table.organizationId, table.createdAt, table.id),
    index("contacts_updated_at").on(table.organizationId, table.updatedAt, table.id),
  ],
);

export const meetings = sqliteTable(
  "meetings",
  {
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
    version: version(),
  },
  (table) => [
    unique().on(table.organizationId, table.externalId),
    ofAccount(table),
    index("meetings_account").on(
      table.organizationId,
      table.accountId,
      table.startAt,
      table.id,
      table.title,
      table.endAt,
    ),
    // For the meetings of the organization.
    index("meetings_start_at").on(table.organizationId, table.startAt, table.id),
    index("meetings_end_at").on(table.organizationId, table.endAt, table.id),
    index("meetings_title").on(table.organizationId, table.foldedTitle, table.id),
    index("meetings_created_at").on(table.organizationId, table.createdAt, table.id),
    index("meetings_updated_at").on(table.organizationId, table.updatedAt, table.id),
  ],
);

export const featureRequests = sqliteTable(
  "requests",
  {
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
    version: version(),
  },
  (table) => [
    unique().on(table.organizationId, table.externalId),
    ofAccount(table),
    // Covers the list that an account embeds, and what a score reads.
    index("requests_account").on(
      table.organizationId,
      table.accountId,
      table.requestedAt,
      table.id,
      table.title,
      table.status,
      table.severity,
      table.resolvedAt,
    ),
    index("requests_requested_at").on(table.organizationId, table.requestedAt, table.id, table.status),
    index("requests_severity").on(table.organizationId, table.severity, table.id, table.status),
    index("requests_title").on(table.organizationId, table.foldedTitle, table.id, table.status),
    index("requests_created_at").on(table.organizationId, table.createdAt, table.id, table.status),
    index("requests_updated_at").on(table.organizationId, table.updatedAt, table.id, table.status),
  ],
);

/**
 * Usage events. One with an `externalId` is pending: no account has that id yet. One with neither an account nor an
 * external id has expired. There is no foreign key to accounts: SQLite would check it for each event.
 */
export const events = sqliteTable(
  "events",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    organizationId: organizationId(),
    accountId: integer("account_id"),
    externalId: text("external_id"),
    messageId: text("message_id"),
    event: text("event").notNull(),
    timestamp: integer("timestamp").notNull(),
    userId: text("user_id"),
    /** JSON text. */
    properties: text("properties"),
    receivedAt: integer("received_at").notNull(),
  },
  (table) => [
    unique().on(table.organizationId, table.messageId),
    // SQLite appends the rowid to every index entry, so these are in the order of receipt.
    index("events_received").on(table.organizationId),
    index("events_parked_received").on(table.organizationId).where(sql`${table.externalId} IS NOT NULL`),
    index("events_parked")
      .on(table.organizationId, table.externalId, table.timestamp)
      .where(sql`${table.externalId} IS NOT NULL`),
  ],
);

/** The external ids of pending events. */
export const unmatchedIds = sqliteTable(
  "unmatched_ids",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    organizationId: organizationId(),
    externalId: text("external_id").notNull(),
    count: integer("count").notNull(),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
  },
  (table) => [unique().on(table.organizationId, table.externalId)],
);

export const pendingTypes = ["group", "user"] as const;

/** Traits of `group` calls without an account, and of users without a contact, because there is no account yet. */
export const pendingTraits = sqliteTable(
  "pending_traits",
  {
    organizationId: organizationId(),
    type: text("type", { enum: pendingTypes }).notNull(),
    /** The group's id, or the user's id. */
    id: text("id").notNull(),
    /** The group of the newest call that named one, which is the externalId of an account, and the time of the call. */
    groupId: text("group_id"),
    groupTime: integer("group_time"),
    foldedEmail: text("folded_email"),
    /** A JSON object of pairs of a value and its time, by the names of the members. */
    members: text("members").notNull(),
    receivedAt: integer("received_at").notNull(),
    /** 1: the account of the group exists, and the traits are to be stored. */
    isDue: integer("is_due").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.type, table.id] }),
    index("pending_traits_group").on(table.organizationId, table.groupId),
    index("pending_traits_received").on(table.organizationId, table.receivedAt),
    index("pending_traits_due")
      .on(table.organizationId, table.isDue, table.type, table.id)
      .where(sql`${table.isDue} = 1`),
  ],
);

/**
 * Accounts that took an `externalId` under which many events were pending. A job attaches those events in steps, in
 * the order of their timestamps. Of several rows with one `externalId`, each has the events after the row before it.
 */
export const attachments = sqliteTable(
  "attachments",
  {
    organizationId: organizationId(),
    externalId: text("external_id").notNull(),
    /** The newest event of the organization when the account took the id: later ones do not belong to it. */
    lastEventId: integer("last_event_id").notNull(),
    accountId: integer("account_id").notNull(),
    /** The number of events that are still pending. */
    count: integer("count").notNull(),
    /** Events that were received at this time or earlier had expired when the account took the id. */
    expiredAt: integer("expired_at").notNull(),
    /** The events with earlier timestamps are attached. */
    nextTimestamp: integer("next_timestamp").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.externalId, table.lastEventId] })],
);

/** The number of an account's events of one name on a UTC day (days since 1970), and of their users. */
export const usageDays = sqliteTable(
  "usage_days",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    count: integer("count").notNull(),
    users: integer("users").notNull(),
    /** The first user of the day, until the day's users are deleted. Many days have no other user. */
    firstUser: text("first_user"),
    firstAt: integer("first_at").notNull(),
    lastAt: integer("last_at").notNull(),
    /** The imported part of `count` and of `users`. The imported users have no rows. */
    importedCount: integer("imported_count").notNull().default(0),
    importedUsers: integer("imported_users").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.day, table.event] })],
);

/** The users of a day, except the first. */
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

/**
 * The number of an organization's events of one name on a UTC day, of the accounts with such events, and of their users:
 * the sums of `usage_days`. A user of several accounts counts once.
 */
export const usageSums = sqliteTable(
  "usage_sums",
  {
    organizationId: integer("organization_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    count: integer("count").notNull(),
    users: integer("users").notNull(),
    /** Its CHECK permits 0: an upsert that adds only to other columns is checked before the conflict is found. */
    accountCount: integer("account_count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.day, table.event] })],
);

/** The users of `usage_sums`, until the users of the day are deleted, and the number of accounts of each. */
export const usageSumUsers = sqliteTable(
  "usage_sum_users",
  {
    organizationId: integer("organization_id").notNull(),
    day: integer("day").notNull(),
    event: text("event").notNull(),
    userId: text("user_id").notNull(),
    accountCount: integer("account_count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.day, table.event, table.userId] })],
);

/** Days whose events were deleted: their users are deleted next. */
export const expiringDays = sqliteTable(
  "expiring_days",
  {
    organizationId: organizationId(),
    day: integer("day").notNull(),
    accountId: integer("account_id").notNull(),
    event: text("event").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.day, table.accountId, table.event] })],
);

/** The latest last-seen timestamp of an account from each platform. */
export const lastSeen = sqliteTable(
  "last_seen",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    source: text("source").notNull(),
    lastSeenAt: integer("last_seen_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId, table.source] }),
    ofAccount(table),
  ],
);

/** What the operator sets for an organization, and its key. Without a row, everything is off. */
export const organizationSettings = sqliteTable("organization_settings", {
  organizationId: integer("organization_id")
    .primaryKey()
    .references(() => organizations.id),
  /** 1: the traits of Segment's `group` and `identify` calls are stored as accounts and contacts. */
  traits: integer("traits").notNull(),
  /** The key of the hashes that replace the message ids of erased persons, while an event has one. */
  messageIdKey: text("message_id_key"),
});

/** The last event that the scores of an organization take into account. */
export const healthProgress = sqliteTable("health_progress", {
  organizationId: integer("organization_id")
    .primaryKey()
    .references(() => organizations.id),
  lastEventId: integer("last_event_id").notNull(),
  /** The latest time for which scores were computed. */
  refreshedAt: integer("refreshed_at").notNull().default(0),
});

/** How the scores of an organization are computed. Without a row: by default, without meetings and requests. */
export const healthSettings = sqliteTable("health_settings", {
  organizationId: integer("organization_id")
    .primaryKey()
    .references(() => organizations.id),
  /** JSON; null: the defaults. */
  settings: text("settings"),
  /** The number of stored changes of the settings. */
  version: integer("version").notNull().default(0),
  /** 1: the organization has, or had, a meeting. */
  hasMeetings: integer("has_meetings").notNull().default(0),
  /** 1: the organization has, or had, a request. */
  hasRequests: integer("has_requests").notNull().default(0),
  /** While every score is computed again: the scores of accounts up to this id are. */
  rescoredId: integer("rescored_id"),
  /** The `coverage` and the `scoreStaleAt` of a new account: it has no facts of its own. */
  newCoverage: real("new_coverage").notNull().default(0),
  newStaleAt: integer("new_stale_at"),
});

/** The last score of an account on each UTC day (days since 1970) on which the score changed. */
export const healthDays = sqliteTable(
  "health_days",
  {
    organizationId: integer("organization_id").notNull(),
    accountId: integer("account_id").notNull(),
    day: integer("day").notNull(),
    score: real("score"),
    tier: text("tier", { enum: healthTiers }),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.day] })],
);

/**
 * The change log: every insert, update and delete of a resource and every change of an account's tier, in commit
 * order without gaps. `before` and `after` are JSON objects of stored values.
 */
export const changes = sqliteTable(
  "changes",
  {
    organizationId: organizationId(),
    sequence: integer("sequence").notNull(),
    resource: text("resource").notNull(),
    action: text("action").notNull(),
    resourceId: integer("resource_id").notNull(),
    accountId: integer("account_id").notNull(),
    changedAt: integer("changed_at").notNull(),
    actorType: text("actor_type").notNull(),
    /** Null unless `actorType` is key. */
    keyId: integer("key_id"),
    keyName: text("key_name"),
    requestId: text("request_id"),
    before: text("before"),
    after: text("after"),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.sequence] })],
);

/**
 * The number of changes that one transaction adds to `account_changes`. An entry for each change would write another
 * page in every transaction; the entries of a block share their pages.
 */
export const indexedBlockSize = 2_000;

/** The changes of each account, up to the last complete block: `src/core/changes/account-changes.ts`. */
export const accountChanges = sqliteTable(
  "account_changes",
  {
    organizationId: organizationId(),
    accountId: integer("account_id").notNull(),
    sequence: integer("sequence").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId, table.sequence] })],
);

const attributeResources = ["account", "contact"] as const;
export type AttributeResource = (typeof attributeResources)[number];

export const attributeTypes = ["string", "number", "boolean"] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** The values of `attributes` of accounts and contacts, one by one, for filters and orders. */
export const attributeValues = sqliteTable(
  "attribute_values",
  {
    organizationId: organizationId(),
    resource: text("resource", { enum: attributeResources }).notNull(),
    rowId: integer("row_id").notNull(),
    name: text("name").notNull(),
    /** A string. */
    text: text("text"),
    /** A number, or 1 for true and 0 for false. */
    number: real("number"),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.resource, table.rowId, table.name] }),
    index("attribute_values_text")
      .on(table.organizationId, table.resource, table.name, table.text, table.rowId)
      .where(sql`${table.text} IS NOT NULL`),
    index("attribute_values_number")
      .on(table.organizationId, table.resource, table.name, table.number, table.rowId)
      .where(sql`${table.number} IS NOT NULL`),
  ],
);

/** One row per attribute name of a resource: its type, and the number of rows that have the attribute. */
export const attributeNames = sqliteTable(
  "attribute_names",
  {
    organizationId: organizationId(),
    resource: text("resource", { enum: attributeResources }).notNull(),
    name: text("name").notNull(),
    type: text("type", { enum: attributeTypes }).notNull(),
    count: integer("count").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.resource, table.name] })],
);

export const declaredTypes = [...attributeTypes, "date"] as const;
export type DeclaredType = (typeof declaredTypes)[number];

/** The types of attribute names that callers declare, with or without values. Values of dates are strings. */
export const declaredAttributes = sqliteTable(
  "attribute_types",
  {
    organizationId: organizationId(),
    resource: text("resource", { enum: attributeResources }).notNull(),
    name: text("name").notNull(),
    type: text("type", { enum: declaredTypes }).notNull(),
    label: text("label"),
    description: text("description"),
    /** 1 while texts are converted to the type. */
    isPending: integer("is_pending").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.resource, table.name] })],
);

/** Deleted accounts whose events and usage are still being deleted. */
export const accountDeletions = sqliteTable(
  "account_deletions",
  {
    organizationId: organizationId(),
    accountId: integer("account_id").notNull(),
    /** Events up to this id were checked. */
    lastEventId: integer("last_event_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.accountId] })],
);

/** The reply to each write with an Idempotency-Key, for 24 hours: `src/core/tenant/idempotency.ts`. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    organizationId: organizationId(),
    key: text("key").notNull(),
    /** The SHA-256 of the method, the path with the query, and the body. */
    fingerprint: text("fingerprint").notNull(),
    status: integer("status").notNull(),
    /** JSON. */
    headers: text("headers").notNull(),
    /** JSON; null for a reply without a body. */
    body: text("body"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.key] }),
    index("idempotency_keys_created").on(table.organizationId, table.createdAt),
  ],
);

const sessionKinds = ["session", "link"] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** The sessions of the console, and the links that begin one: `src/api-keys/sessions.ts`. */
export const sessions = sqliteTable(
  "sessions",
  {
    organizationId: organizationId(),
    /** The SHA-256 of the token in hex. */
    hash: text("hash").notNull(),
    keyId: integer("key_id").notNull(),
    kind: text("kind", { enum: sessionKinds }).notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.hash] }),
    index("sessions_expires").on(table.organizationId, table.expiresAt),
  ],
);

export const webhookFormats = ["accountd", "cloudevents", "slack"] as const;
export const webhookOrders = ["account", "strict"] as const;

/** The endpoints that changes are sent to: `src/webhooks`. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    organizationId: organizationId(),
    id: integer("id").primaryKey({ autoIncrement: true }),
    url: text("url").notNull(),
    /** A JSON array of the types of the changes to send; null: all. */
    types: text("types"),
    description: text("description"),
    format: text("format", { enum: webhookFormats }).notNull(),
    ordered: text("ordered", { enum: webhookOrders }).notNull(),
    /** 1: changes are sent. */
    active: integer("active").notNull(),
    secret: text("secret").notNull(),
    previousSecret: text("previous_secret"),
    /** Until then, the previous secret signs, too. */
    previousSecretExpiresAt: integer("previous_secret_expires_at"),
    /** Each change up to this sequence number that matches has, or had, a delivery. */
    position: integer("position").notNull(),
    disabledReason: text("disabled_reason"),
    disabledAt: integer("disabled_at"),
    version: version(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [index("webhooks_created").on(table.organizationId, table.createdAt, table.id)],
);

export const deliveryStatuses = ["pending", "delivered", "failed"] as const;

/** The changes that are sent, or were sent, to a webhook. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    organizationId: organizationId(),
    webhookId: integer("webhook_id").notNull(),
    /** The sequence number of the change. */
    sequence: integer("sequence").notNull(),
    /** The `accountId` of the change. */
    accountId: integer("account_id").notNull(),
    status: text("status", { enum: deliveryStatuses }).notNull(),
    attempts: integer("attempts").notNull().default(0),
    /** Null unless `status` is pending. */
    nextAttemptAt: integer("next_attempt_at"),
    attemptedAt: integer("attempted_at"),
    responseStatus: integer("response_status"),
    /** The beginning of the response. */
    responseBody: text("response_body"),
    /** Why the last attempt failed: an `AttemptError`. */
    error: text("error"),
    durationMilliseconds: integer("duration_milliseconds"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.webhookId, table.sequence] }),
    index("webhook_deliveries_pending")
      .on(table.organizationId, table.webhookId, table.sequence, table.accountId)
      .where(sql`${table.status} = 'pending'`),
    index("webhook_deliveries_failed")
      .on(table.organizationId, table.webhookId, table.sequence)
      .where(sql`${table.status} = 'failed'`),
    index("webhook_deliveries_created")
      .on(table.organizationId, table.createdAt)
      .where(sql`${table.status} <> 'pending'`),
  ],
);

/** The starts at which the clock was far ahead of the newest stored time: `db/clock-gaps.ts`. */
export const clockGaps = sqliteTable("clock_gaps", {
  startedAt: integer("started_at").primaryKey(),
  newestAt: integer("newest_at").notNull(),
});

/** Random values that all servers of the database use, such as the key of cursors. A value never changes. */
export const secrets = sqliteTable("secrets", {
  name: text("name").primaryKey().notNull(),
  value: text("value").notNull(),
});
