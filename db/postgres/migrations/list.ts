import type { Migration } from "../../migration.ts";
import schema from "./0001_schema.sql" with { type: "text" };
import idempotencyKeys from "./0002_idempotency_keys.sql" with { type: "text" };
import keyScopes from "./0003_key_scopes.sql" with { type: "text" };
import rowVersions from "./0004_row_versions.sql" with { type: "text" };
import lists from "./0005_lists.sql" with { type: "text" };
import attributes from "./0006_attributes.sql" with { type: "text" };
import organizationSettings from "./0007_organization_settings.sql" with { type: "text" };
import usageSums from "./0008_usage_sums.sql" with { type: "text" };
import healthDays from "./0009_health_days.sql" with { type: "text" };
import sessions from "./0010_sessions.sql" with { type: "text" };
import persons from "./0011_persons.sql" with { type: "text" };
import declinedRequests from "./0012_declined_requests.sql" with { type: "text" };
import pendingErasures from "./0013_pending_erasures.sql" with { type: "text" };
import clockGaps from "./0014_clock_gaps.sql" with { type: "text" };
import fewerSums from "./0015_fewer_sums.sql" with { type: "text" };
import settings from "./0016_settings.sql" with { type: "text" };
import numberFormat from "./0017_number_format.sql" with { type: "text" };
import webhooks from "./0018_webhooks.sql" with { type: "text" };

/** In the order in which they are applied. Never edit or remove a released one: add the next. */
export const migrations: readonly Migration[] = [
  { name: "0001_schema", sql: schema },
  { name: "0002_idempotency_keys", sql: idempotencyKeys },
  { name: "0003_key_scopes", sql: keyScopes },
  { name: "0004_row_versions", sql: rowVersions },
  { name: "0005_lists", sql: lists },
  { name: "0006_attributes", sql: attributes },
  { name: "0007_organization_settings", sql: organizationSettings },
  { name: "0008_usage_sums", sql: usageSums },
  { name: "0009_health_days", sql: healthDays },
  { name: "0010_sessions", sql: sessions },
  { name: "0011_persons", sql: persons, folded: [["contacts", "email", "folded_email", "address"]] },
  { name: "0012_declined_requests", sql: declinedRequests },
  { name: "0013_pending_erasures", sql: pendingErasures },
  { name: "0014_clock_gaps", sql: clockGaps },
  { name: "0015_fewer_sums", sql: fewerSums },
  { name: "0016_settings", sql: settings },
  { name: "0017_number_format", sql: numberFormat },
  { name: "0018_webhooks", sql: webhooks },
];
