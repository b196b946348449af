import { externalIdField, type ResourceFields, titleInput } from "./field.ts";

export const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"] as const;
export const resolvedStatuses: readonly (typeof requestStatuses)[number][] = ["Done", "Declined"];

export const requestFields = {
  id: { kind: "id", example: 3 },
  accountId: { kind: "id", example: 42 },
  externalId: {
    ...externalIdField,
    synonyms: ["requestid", "ticketid", "issuekey", "key", "recordid", "id"],
  },
  title: {
    kind: "text",
    example: "Single sign-on",
    isSortable: true,
    synonyms: ["summary", "subject"],
    input: titleInput,
  },
  status: {
    kind: "choice",
    values: requestStatuses,
    example: "Open",
    default: "Open",
    isFilterable: true,
    input: { description: "Open by default in a new request. Every transition is allowed" },
  },
  severity: {
    kind: "integer",
    minimum: 1,
    maximum: 5,
    description: "From 1 (slight) to 5 (severe)",
    example: 4,
    default: 3,
    isFilterable: true,
    isSortable: true,
    input: { description: "From 1 (slight) to 5 (severe); 3 by default in a new request" },
  },
  requestedAt: {
    kind: "timestamp",
    description: "When the account made the request",
    isFilterable: true,
    isSortable: true,
    synonyms: ["created", "createdat", "createddate", "createdate"],
    input: {
      description:
        "ISO 8601, UTC without an offset, not after resolvedAt; now by default in a new request. Up to 5 minutes ahead counts as now",
      example: "2026-01-02T03:04:05.678Z",
    },
  },
  resolvedAt: {
    kind: "timestamp",
    isNullable: true,
    description: "When the request became Done or Declined; null with every other status",
    example: null,
    isFilterable: true,
    synonyms: ["resolved", "solvedat", "closedat"],
    isInForms: false,
    input: {
      description:
        "ISO 8601, UTC without an offset, not before requestedAt; only with the status Done or Declined. Up to 5 minutes ahead counts as now. By default, and with null, the time at which the status became Done or Declined",
      example: "2026-01-05T06:07:08.9Z",
    },
  },
  createdAt: { kind: "timestamp", description: "When the request was created", isSortable: true },
  updatedAt: {
    kind: "timestamp",
    description: "When the request last changed; strictly increasing",
    isFilterable: true,
    isSortable: true,
  },
} as const satisfies ResourceFields;

export const embeddedRequestFields = ["id", "title", "status", "severity", "requestedAt"] as const;
