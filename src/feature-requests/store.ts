import { desc, eq } from "drizzle-orm";
import { accounts, featureRequests, type RequestStatus } from "../../db/schema.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import { invalidField } from "../core/errors.ts";
import { maxClockSkewMilliseconds } from "../core/event-limits.ts";
import { fold } from "../core/folding.ts";
import { externalIdFilters, ordersAndFilters } from "../core/lists/fields.ts";
import { defineList } from "../core/lists/list.ts";
import { externalIdConflict } from "../core/resource/definition.ts";
import { columnsOf, mergeInput } from "../core/resource/field-columns.ts";
import { defineSubResource } from "../core/resource/sub-resource.ts";
import { jsonArray } from "../core/tenant/statements.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import type { InputOf } from "../shared/fields/field.ts";
import { embeddedRequestFields, requestFields, resolvedStatuses } from "../shared/fields/requests.ts";

/** An account's 100 latest requests, latest first, as JSON text. */
export const embeddedFeatureRequests = jsonArray({
  fields: columnsOf(requestFields, featureRequests, embeddedRequestFields),
  from: featureRequests,
  where: eq(featureRequests.accountId, accounts.id),
  orderBy: [desc(featureRequests.requestedAt), desc(featureRequests.id)],
  limit: 100,
});

type FeatureRequestRow = ResourceRows["request"];
type FeatureRequestInput = InputOf<typeof requestFields>;

const fields = { ...columnsOf(requestFields, featureRequests), version: featureRequests.version };

/** Requests. Throws `invalid_request` for a time too far ahead, a requestedAt after resolvedAt, and a resolvedAt of an open one. */
export const featureRequestStore = defineSubResource<"request", FeatureRequestInput>({
  type: "request",
  table: featureRequests,
  fields,
  folded: { foldedTitle: { of: "title" } },
  columnsOf(input, existing, now) {
    const columns = mergeInput<Pick<FeatureRequestRow, "title" | "status" | "severity">>(
      requestFields,
      input,
      existing,
    );
    return { ...columns, ...timesOf(input, existing, columns.status, now) };
  },
  required: ["title"],
  conflicts: [externalIdConflict("request", featureRequests)],
});

const { sortBy, filters } = ordersAndFilters(requestFields, featureRequests, {
  status: { use: "inOrder" },
});

/** The requests of the organization, or of one account. */
export const featureRequestList = defineList({
  name: "requests.list",
  from: featureRequests,
  key: featureRequests.id,
  fields,
  sortBy,
  defaultOrder: ["requestedAt", "asc"],
  filters: {
    accountId: { kind: "account", column: featureRequests.accountId, order: featureRequests.requestedAt },
    search: { kind: "search", columns: [[featureRequests.foldedTitle, fold]] },
    ...filters,
    ...externalIdFilters(featureRequests.externalId),
  },
});

function isResolved(status: RequestStatus): boolean {
  return resolvedStatuses.includes(status);
}

/** `resolvedAt` is null unless the status is Done or Declined, and not before `requestedAt`. */
function timesOf(
  input: FeatureRequestInput,
  existing: FeatureRequestRow | undefined,
  status: RequestStatus,
  now: number,
): Pick<FeatureRequestRow, "requestedAt" | "resolvedAt"> {
  const requestedAt = clampTimestamp(input, "requestedAt", now, now) ?? existing?.requestedAt ?? now;
  // The clock may have been set back after requestedAt.
  const latest = Math.max(now, requestedAt);
  const sent = clampTimestamp(input, "resolvedAt", now, latest);
  if (!isResolved(status)) {
    if (sent === undefined) return { requestedAt, resolvedAt: null };
    throw invalidField("/resolvedAt", "not_allowed", "must be null unless status is Done or Declined");
  }
  const resolvedAt = sent ?? existing?.resolvedAt ?? latest;
  // Only the input is checked: a stored row that breaks this rule can still be updated.
  if (requestedAt > resolvedAt && sent !== undefined)
    throw invalidField("/resolvedAt", "after_resolved", "must not be before requestedAt");
  if (requestedAt > resolvedAt && input.requestedAt !== undefined)
    throw invalidField("/requestedAt", "after_resolved", "must not be after resolvedAt");
  return { requestedAt, resolvedAt };
}

/** The timestamp of a member, at most `latest`; undefined for an absent member and null. Throws for one too far ahead. */
function clampTimestamp(
  input: FeatureRequestInput,
  member: "requestedAt" | "resolvedAt",
  now: number,
  latest: number,
): number | undefined {
  // The schema of the body has accepted the text as a timestamp.
  const timestamp = parseTimestamp(input[member] ?? "");
  if (timestamp === undefined) return undefined;
  if (timestamp > now + maxClockSkewMilliseconds)
    throw invalidField(`/${member}`, "in_future", "must be at most 5 minutes ahead");
  return Math.min(timestamp, latest);
}
