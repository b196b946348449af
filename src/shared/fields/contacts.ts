import { externalIdField, type ResourceFields } from "./field.ts";

export const contactFields = {
  id: { kind: "id", example: 7 },
  accountId: { kind: "id", example: 42 },
  externalId: { ...externalIdField, synonyms: ["contactid", "personid", "recordid", "id"] },
  name: {
    kind: "text",
    example: "Ada Lovelace",
    isSortable: true,
    synonyms: ["fullname", "contactname", "personname"],
    input: {
      minLength: 1,
      maxLength: 255,
      pattern: "\\S",
      description: "Of a new contact: by default its `email`; required without one",
    },
  },
  email: {
    kind: "text",
    isNullable: true,
    description: "Unique within the account, in any letter case and form of the domain",
    example: "ada@example.com",
    synonyms: ["mail", "emailaddress", "primaryemail", "workemail"],
    input: {
      maxLength: 254,
      format: "email",
      description:
        "Unique within the account, in any letter case and form of the domain; null or an empty text means none",
    },
  },
  userId: {
    kind: "text",
    isNullable: true,
    maxLength: 255,
    description:
      "The id of the person in your product, unique within the organization, compared byte for byte",
    example: "u7",
    input: {
      description:
        "The id of the person in your product, unique within the organization, compared byte for byte; null or an empty text means none",
    },
  },
  lastSeenAt: {
    kind: "timestamp",
    isNullable: true,
    description: "When another platform last saw the contact; set by POST /api/v1/last-seen",
    isFilterable: true,
  },
  attributes: { kind: "attributes", input: {} },
  createdAt: { kind: "timestamp", description: "When the contact was created", isSortable: true },
  updatedAt: {
    kind: "timestamp",
    description: "When a field other than `lastSeenAt` last changed; strictly increasing",
    isFilterable: true,
    isSortable: true,
  },
} as const satisfies ResourceFields;

export const embeddedContactFields = ["id", "name", "email"] as const;
