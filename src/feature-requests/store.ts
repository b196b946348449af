import { desc, eq } from "drizzle-orm";
import { accounts, featureRequests, type RequestStatus } from "../../db/schema.ts";
import { contains, integerInput, type Row, textInput } from "../../db/statements.ts";
import { invalidField } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { defineList } from "../core/list-query.ts";
import { defineResource } from "../core/resource.ts";
import { jsonArray } from "../core/tenant.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { healthIsDue } from "../health-scores/stale.ts";

/** An account's 100 latest requests, latest first, as JSON text. */
export const embeddedFeatureRequests = jsonArray({
  fields: {
    id: featureRequests.id,
    title: featureRequests.title,
    status: featureRequests.status,
    severity: featureRequests.severity,
    requestedAt: featureRequests.requestedAt,
  },
  from: featureRequests,
  where: eq(featureRequests.accountId, accounts.id),
  orderBy: [desc(featureRequests.requestedAt), desc(featureRequests.id)],
  limit: 100,
});

const fields = {
  id: featureRequests.id,
  accountId: featureRequests.accountId,
  externalId: featureRequests.externalId,
  title: featureRequests.title,
  status: featureRequests.status,
  severity: featureRequests.severity,
  requestedAt: featureRequests.requestedAt,
  resolvedAt: featureRequests.resolvedAt,
  createdAt: featureRequests.createdAt,
  updatedAt: featureRequests.updatedAt,
};
export type FeatureRequestRow = Row<typeof fields>;
export type FeatureRequestInput = {
  externalId?: string | null;
  title: string;
  status?: RequestStatus;
  severity?: number;
  requestedAt?: string;
};

/**
 * Requests. Beside what every child's store throws, `invalid_request` for one made in the future, or after it
 * was resolved.
 */
export const featureRequestStore = defineResource<typeof fields, FeatureRequestInput>({
  noun: "request",
  table: featureRequests,
  fields,
  columns: ["title", "foldedTitle", "status", "severity", "requestedAt", "resolvedAt"],
  required: ["title"],
  columnsOf(given, before, now) {
    const title = given.title ?? before?.title ?? "";
    const status = given.status ?? before?.status ?? "Open";
    const severity = given.severity ?? before?.severity ?? 3;
    const requestedAt = requestedAtOf(given.requestedAt, before?.requestedAt ?? now, now);
    // The clock may have been set back since the request was made.
    const resolvedAt = isResolved(status) ? (before?.resolvedAt ?? Math.max(now, requestedAt)) : null;
    // A requestedAt that was not sent is not to blame: rows older than this rule can still be changed.
    if (given.requestedAt !== undefined && resolvedAt !== null && requestedAt > resolvedAt)
      throw invalidField("/requestedAt", "after_resolved", "must not be after resolvedAt");
    return { title, foldedTitle: fold(title), status, severity, requestedAt, resolvedAt };
  },
  changed: healthIsDue,
});

/** A page of the organization's requests, or of one account's. */
export const listFeatureRequests = defineList({
  from: featureRequests,
  key: featureRequests.id,
  fields,
  sortBy: {
    requestedAt: featureRequests.requestedAt,
    severity: featureRequests.severity,
    title: featureRequests.foldedTitle,
    createdAt: featureRequests.createdAt,
    updatedAt: featureRequests.updatedAt,
  },
  order: ["requestedAt", "asc"],
  filters: {
    accountId: eq(featureRequests.accountId, integerInput("accountId")),
    externalId: eq(featureRequests.externalId, textInput("externalId")),
    status: eq(featureRequests.status, textInput("status")),
    search: contains(featureRequests.foldedTitle, textInput("search")),
  },
  searched: "title",
  narrow: "accountId",
  folded: ["search"],
});

/** A request that needs no more work: it has been done, or it never will be. */
function isResolved(status: RequestStatus): boolean {
  return status === "Done" || status === "Declined";
}

function requestedAtOf(text: string | undefined, otherwise: number, now: number): number {
  if (text === undefined) return otherwise;
  const moment = parseTimestamp(text) ?? otherwise;
  if (moment > now) throw invalidField("/requestedAt", "in_future", "must not be in the future");
  return moment;
}
