import { type Static, Type } from "@sinclair/typebox";
import { type RequestStatus, requestStatuses } from "../../db/schema.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import { choice, externalId, integer, nullableText, text, timestamp } from "../http/validation/shapes.ts";
import type { FeatureRequestRow } from "./store.ts";

const request = Type.Object({
  id: integer({ examples: [3] }),
  accountId: integer({ examples: [42] }),
  externalId: nullableText(externalId),
  title: text({ examples: ["Single sign-on"] }),
  status: choice(requestStatuses, { examples: ["Open"] }),
  severity: integer({ minimum: 1, maximum: 5, description: "From 1 (slight) to 5 (severe)", examples: [4] }),
  requestedAt: timestamp("When the account made the request"),
  resolvedAt: nullableText({
    format: "date-time",
    description: "When the request became Done or Declined; null with every other status",
    examples: [null],
  }),
  createdAt: timestamp("When the request was created"),
  updatedAt: timestamp("When the request last changed; strictly increasing"),
});

/** A request as its own paths return it. */
export const FeatureRequest = Type.Omit(request, [], {
  $id: "Request",
  description: "A feature request of an account",
});
/** A request as its account embeds it. */
export const AccountFeatureRequest = Type.Pick(
  request,
  ["id", "title", "status", "severity", "requestedAt"],
  {
    $id: "AccountRequest",
    description: "A feature request of the account",
  },
);

export function presentFeatureRequest(row: FeatureRequestRow): Static<typeof FeatureRequest> {
  const { id, accountId, externalId, title, status, severity } = row;
  return {
    id,
    accountId,
    externalId,
    title,
    status,
    severity,
    requestedAt: formatTimestamp(row.requestedAt),
    resolvedAt: formatNullable(row.resolvedAt),
    createdAt: formatTimestamp(row.createdAt),
    updatedAt: formatTimestamp(row.updatedAt),
  };
}

/** The values of a request in the JSON of `embeddedFeatureRequests`. */
export type EmbeddedFeatureRequest = [
  id: number,
  title: string,
  status: RequestStatus,
  severity: number,
  requestedAt: number,
];

export function presentEmbeddedFeatureRequest([
  id,
  title,
  status,
  severity,
  requestedAt,
]: EmbeddedFeatureRequest): Static<typeof AccountFeatureRequest> {
  return { id, title, status, severity, requestedAt: formatTimestamp(requestedAt) };
}
