import type { Migration } from "../../migration.ts";
import accounts from "./0001_accounts.sql" with { type: "text" };
import synchronisedLists from "./0002_synchronised_lists.sql" with { type: "text" };
import usage from "./0003_usage.sql" with { type: "text" };
import health from "./0004_health.sql" with { type: "text" };
import accountStatuses from "./0005_account_statuses.sql" with { type: "text" };
import lighterWrites from "./0006_lighter_writes.sql" with { type: "text" };
import scoresInAccounts from "./0007_scores_in_accounts.sql" with { type: "text" };
import changes from "./0008_changes.sql" with { type: "text" };
import idempotencyKeys from "./0009_idempotency_keys.sql" with { type: "text" };
import keyScopes from "./0010_key_scopes.sql" with { type: "text" };
import rowVersions from "./0011_row_versions.sql" with { type: "text" };
import lists from "./0012_lists.sql" with { type: "text" };
import attributes from "./0013_attributes.sql" with { type: "text" };
import organizationSettings from "./0014_organization_settings.sql" with { type: "text" };
import usageSums from "./0015_usage_sums.sql" with { type: "text" };
import healthDays from "./0016_health_days.sql" with { type: "text" };
import sessions from "./0017_sessions.sql" with { type: "text" };
import persons from "./0018_persons.sql" with { type: "text" };
import declinedRequests from "./0019_declined_requests.sql" with { type: "text" };
import pendingErasures from "./0020_pending_erasures.sql" with { type: "text" };
import clockGaps from "./0021_clock_gaps.sql" with { type: "text" };
import fewerSums from "./0022_fewer_sums.sql" with { type: "text" };
import settings from "./0023_settings.sql" with { type: "text" };
import numberFormat from "./0024_number_format.sql" with { type: "text" };
import webhooks from "./0025_webhooks.sql" with { type: "text" };

/** In the order in which they are applied. Never edit or remove a released one: add the next. */
export const migrations: readonly Migration[] = [
  { name: "0001_accounts", sql: accounts },
  {
    name: "0002_synchronised_lists",
    sql: synchronisedLists,
    folded: [
      ["contacts", "name", "folded_name"],
      ["contacts", "email", "folded_email", "address"],
      ["meetings", "title", "folded_title"],
      ["requests", "title", "folded_title"],
    ],
  },
  { name: "0003_usage", sql: usage },
  { name: "0004_health", sql: health },
  { name: "0005_account_statuses", sql: accountStatuses },
  { name: "0006_lighter_writes", sql: lighterWrites },
  { name: "0007_scores_in_accounts", sql: scoresInAccounts },
  { name: "0008_changes", sql: changes },
  { name: "0009_idempotency_keys", sql: idempotencyKeys },
  { name: "0010_key_scopes", sql: keyScopes },
  { name: "0011_row_versions", sql: rowVersions },
  { name: "0012_lists", sql: lists },
  { name: "0013_attributes", sql: attributes },
  { name: "0014_organization_settings", sql: organizationSettings },
  { name: "0015_usage_sums", sql: usageSums },
  { name: "0016_health_days", sql: healthDays },
  { name: "0017_sessions", sql: sessions },
  { name: "0018_persons", sql: persons, folded: [["contacts", "email", "folded_email", "address"]] },
  { name: "0019_declined_requests", sql: declinedRequests },
  { name: "0020_pending_erasures", sql: pendingErasures },
  { name: "0021_clock_gaps", sql: clockGaps },
  { name: "0022_fewer_sums", sql: fewerSums },
  { name: "0023_settings", sql: settings },
  { name: "0024_number_format", sql: numberFormat },
  { name: "0025_webhooks", sql: webhooks },
];
