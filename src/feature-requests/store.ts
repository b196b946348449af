import { desc, eq } from "drizzle-orm";
import { accounts, type RequestStatus, requests } from "../../db/schema.ts";
import { contains, integerInput, type Row, textInput } from "../../db/statements.ts";
import { invalidField } from "../core/errors.ts";
import { fold } from "../core/folding.ts";
import { listing } from "../core/list-query.ts";
import { childStore } from "../core/resource.ts";
import { jsonRows } from "../core/tenant.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { healthIsDue } from "../health-scores/stale.ts";

/** An account's 100 latest requests, latest first, as JSON text. */
export const embeddedRequests = jsonRows({
  fields: {
    id: requests.id,
    title: requests.title,
    status: requests.status,
    severity: requests.severity,
    requestedAt: requests.requestedAt,
  },
  from: requests,
  where: eq(requests.accountId, accounts.id),
  orderBy: [desc(requests.requestedAt), desc(requests.id)],
  limit: 100,
});

const fields = {
  id: requests.id,
  accountId: requests.accountId,
  externalId: requests.externalId,
  title: requests.title,
  status: requests.status,
  severity: requests.severity,
  requestedAt: requests.requestedAt,
  resolvedAt: requests.resolvedAt,
  createdAt: requests.createdAt,
  updatedAt: requests.updatedAt,
};
export type RequestRow = Row<typeof fields>;
export type RequestMembers = {
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
export const requestStore = childStore<typeof fields, RequestMembers>({
  noun: "request",
  table: requests,
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
export const listRequests = listing({
  from: requests,
  key: requests.id,
  fields,
  sortBy: {
    requestedAt: requests.requestedAt,
    severity: requests.severity,
    title: requests.foldedTitle,
    createdAt: requests.createdAt,
    updatedAt: requests.updatedAt,
  },
  order: ["requestedAt", "asc"],
  filters: {
    accountId: eq(requests.accountId, integerInput("accountId")),
    externalId: eq(requests.externalId, textInput("externalId")),
    status: eq(requests.status, textInput("status")),
    search: contains(requests.foldedTitle, textInput("search")),
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
