import { type Static, Type } from "@sinclair/typebox";
import { accountStatuses } from "../../db/schema.ts";
import { choice, idParameter, nullableText, number, pageParameters, text } from "../http/shapes.ts";
import { fields } from "./model.ts";

export const AccountPath = Type.Object({ accountId: idParameter("The account's id") });

const sortableBy = ["name", "mrr", "createdAt", "updatedAt"] as const;
const sortOrders = ["asc", "desc"] as const;

export const AccountListQuery = Type.Object(
  {
    ...pageParameters,
    search: Type.Optional(
      text({
        maxLength: 255,
        description: "Substring of name or externalId, in any letter case; empty: no filter",
      }),
    ),
    externalId: Type.Optional(text({ maxLength: 255, description: "The one account with this externalId" })),
    status: Type.Optional(choice(accountStatuses, { description: "Accounts in this status alone" })),
    sortBy: Type.Optional(
      choice(sortableBy, { default: "name", description: "What the list is ordered by, then by id" }),
    ),
    sortOrder: Type.Optional(choice(sortOrders, { default: "asc" })),
  },
  { additionalProperties: true },
);

export const NewAccountBody = Type.Object(
  {
    name: text(fields.name),
    externalId: Type.Optional(
      text({ ...fields.externalId, description: `${fields.externalId.description}; empty: none` }),
    ),
    mrr: Type.Optional(number({ ...fields.mrr, default: 0 })),
    status: Type.Optional(choice(["active", "onboarding", "churned"], { default: "active" })),
    contactName: Type.Optional(
      text({ ...fields.name, description: "Name of a first contact", examples: ["Ada Lovelace"] }),
    ),
    contactEmail: Type.Optional(
      text({
        maxLength: 254,
        format: "email",
        description: "E-mail address of a first contact",
        examples: ["ada@example.com"],
      }),
    ),
  },
  {
    $id: "NewAccount",
    additionalProperties: true,
    examples: [
      {
        name: "Acme",
        externalId: "acme",
        mrr: 1250.5,
        contactName: "Ada Lovelace",
        contactEmail: "ada@example.com",
      },
    ],
  },
);

export const AccountChangesBody = Type.Object(
  {
    name: Type.Optional(text(fields.name)),
    externalId: Type.Optional(
      nullableText({
        ...fields.externalId,
        description: `${fields.externalId.description}; null or empty clears it`,
      }),
    ),
    mrr: Type.Optional(number(fields.mrr)),
    status: Type.Optional(choice(accountStatuses)),
    logoUrl: Type.Optional(nullableText(fields.logoUrl)),
    contactActivityAt: Type.Optional(
      nullableText({
        format: "iso-8601",
        description: "ISO 8601 date or date-time, UTC without an offset, not in the future; null clears it",
        examples: ["2026-01-02T03:04:05.678Z"],
      }),
    ),
  },
  {
    $id: "AccountChanges",
    additionalProperties: true,
    description: "At least one member",
    examples: [{ externalId: "acme-2", contactActivityAt: "2026-01-02T03:04:05.678Z" }],
  },
);

export type AccountListing = Omit<Static<typeof AccountListQuery>, "page" | "pageSize">;
export type NewAccount = Static<typeof NewAccountBody>;
export type AccountChanges = Static<typeof AccountChangesBody>;
