import { Type } from "@sinclair/typebox";
import { accountStatuses } from "../../db/schema.ts";
import { nameListParameter, withFields } from "../http/resource/selection.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { attributeListParameters } from "../http/validation/attribute-parameters.ts";
import { attributesInput } from "../http/validation/attribute-shapes.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { choice, externalIdParameter, nullableText, number, text } from "../http/validation/shapes.ts";
import { includable } from "./included.ts";
import { accountList } from "./list.ts";
import { Account, CreatedAccount, constraints, ListedAccount, UpdatedAccount } from "./model.ts";

export const AccountExternalPath = Type.Object({
  externalId: externalIdParameter("The account's externalId"),
});

const include = Type.Optional(
  nameListParameter(includable, "Members to add to each account. Those that a reply has anyway add nothing"),
);
const listQuery = listQuerySchema(accountList, {
  search: Type.Optional(searchFilter("name or externalId")),
  externalId: Type.Optional(externalIdFilter("account")),
  status: Type.Optional(choice(accountStatuses, { description: "Only accounts with this status" })),
});
export const AccountListQuery = withFields(
  ListedAccount,
  Type.Object({ ...listQuery.properties, ...attributeListParameters(accountList), include }),
);
const onlyInclude = Type.Object({ include });
const writeQuery = Type.Object({ ...WriteQuery.properties, include });
export const GetAccountQuery = withFields(Account, onlyInclude);
export const CreateAccountQuery = withFields(CreatedAccount, writeQuery);
export const UpdateAccountQuery = withFields(UpdatedAccount, writeQuery);

export const NewAccountBody = Type.Object(
  {
    name: text(constraints.name),
    externalId: Type.Optional(
      text({
        ...constraints.externalId,
        description: `${constraints.externalId.description}; an empty text is no externalId`,
      }),
    ),
    // No `default`: generated clients require a member that has one.
    mrr: Type.Optional(
      number({ ...constraints.mrr, description: `${constraints.mrr.description}; 0 by default` }),
    ),
    status: Type.Optional(
      choice(["active", "onboarding", "churned"] as const, { description: "active by default" }),
    ),
    attributes: Type.Optional(attributesInput),
    contactName: Type.Optional(
      text({ ...constraints.name, description: "The name of a first contact", examples: ["Ada Lovelace"] }),
    ),
    contactEmail: Type.Optional(
      text({
        maxLength: 254,
        format: "email",
        description: "The e-mail address of a first contact; an empty text is no address",
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

const changes = {
  name: Type.Optional(text(constraints.name)),
  mrr: Type.Optional(number(constraints.mrr)),
  status: Type.Optional(choice(accountStatuses)),
  logoUrl: Type.Optional(nullableText({ ...constraints.logoUrl, format: "uri" })),
  contactActivityAt: Type.Optional(
    nullableText({
      format: "iso-8601",
      description: "ISO 8601 date or date-time, UTC without an offset, not in the future. Null clears it",
      examples: ["2026-01-02T03:04:05.678Z"],
    }),
  ),
  attributes: Type.Optional(attributesInput),
};

export const AccountChangesBody = Type.Object(
  {
    externalId: Type.Optional(
      nullableText({
        ...constraints.externalId,
        description: `${constraints.externalId.description}; null or an empty text clears it`,
      }),
    ),
    ...changes,
  },
  {
    $id: "AccountChanges",
    additionalProperties: true,
    description: "At least one member",
    examples: [{ externalId: "acme-2", contactActivityAt: "2026-01-02T03:04:05.678Z" }],
  },
);

export const AccountPutBody = Type.Object(changes, {
  $id: "AccountPut",
  additionalProperties: true,
  description: "A new account requires `name`. An update leaves absent members unchanged",
  examples: [{ name: "Acme", mrr: 1250.5, status: "onboarding" }],
});
