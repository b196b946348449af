import { externalIdField, type ResourceFields } from "./field.ts";

export const accountStatuses = ["active", "onboarding", "churned", "inactive"] as const;

const flag = { kind: "flag", of: "status" } as const;

export const accountFields = {
  id: { kind: "id", example: 42 },
  name: {
    kind: "text",
    minLength: 1,
    maxLength: 255,
    pattern: "\\S",
    example: "Acme",
    isSortable: true,
    input: { create: { isRequired: true } },
    synonyms: [
      "name",
      "accountname",
      "companyname",
      "organizationname",
      "customername",
      "company",
      "account",
      "customer",
      "organization",
      "security",
    ],
  },
  externalId: {
    ...externalIdField,
    input: {
      description:
        "The caller's own identifier, unique within the organization, compared byte for byte; null or an empty text clears it",
      create: {
        isNullable: false,
        description:
          "The caller's own identifier, unique within the organization, compared byte for byte; an empty text is no externalId",
      },
    },
    synonyms: [
      "externalid",
      "customerid",
      "accountid",
      "companyid",
      "organizationid",
      "clientid",
      "crmid",
      "recordid",
      "key",
      "symbol",
      "ticker",
      "id",
    ],
  },
  mrr: {
    kind: "number",
    description: "Monthly recurring revenue",
    example: 1250.5,
    default: 0,
    isFilterable: true,
    isSortable: true,
    input: { create: { description: "Monthly recurring revenue; 0 by default" } },
    synonyms: ["mrr", "monthlyrecurringrevenue", "monthlyrevenue"],
  },
  status: {
    kind: "choice",
    values: accountStatuses,
    description: "The three flags as one value",
    example: "active",
    default: "active",
    replies: [],
    isFilterable: true,
    input: {
      create: { values: ["active", "onboarding", "churned"], description: "active by default" },
    },
    synonyms: ["status", "accountstatus"],
  },
  active: { ...flag, description: "All three flags are false for an inactive account", example: true },
  churned: { ...flag, example: false },
  onboarding: { ...flag, example: false },
  logoUrl: {
    kind: "text",
    isNullable: true,
    maxLength: 2048,
    example: "https://example.com/logo.png",
    replies: ["get", "list"],
    // Not in replies: a stored http URL may have characters that a URI may not have.
    input: { format: "uri", create: false },
    synonyms: ["logourl", "logo"],
  },
  contactActivityAt: {
    kind: "timestamp",
    isNullable: true,
    description: "When a contact was last active; set through the API",
    replies: ["update"],
    isFilterable: true,
    isSortable: true,
    input: {
      description: "ISO 8601 date or date-time, UTC without an offset, not in the future. Null clears it",
      create: false,
    },
    synonyms: ["contactactivityat", "lastcontact", "lastcontactat", "lastcontacted", "lastcontactdate"],
  },
  attributes: { kind: "attributes", replies: [], input: {} },
  createdAt: {
    kind: "timestamp",
    description: "When the account was created",
    isFilterable: true,
    isSortable: true,
  },
  updatedAt: {
    kind: "timestamp",
    description: "When the account last changed; strictly increasing",
    isFilterable: true,
    isSortable: true,
  },
} as const satisfies ResourceFields;
