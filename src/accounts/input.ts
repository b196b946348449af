import { Type } from "@sinclair/typebox";
import { inputShapes } from "../http/resource/field-shapes.ts";
import { nameListParameter, withFields } from "../http/resource/selection.ts";
import { WriteQuery } from "../http/resource/write-schemas.ts";
import { externalIdFilter, listQuerySchema, searchFilter } from "../http/validation/list-shapes.ts";
import { text } from "../http/validation/shapes.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { contactFields } from "../shared/fields/contacts.ts";
import { includable } from "./included.ts";
import { accountList } from "./list.ts";
import { Account, CreatedAccount, ListedAccount, UpdatedAccount } from "./model.ts";

const added = "Fields to add to each account. Those that a response has anyway add nothing";
const include = Type.Optional(nameListParameter(includable, added));
const includeInList = Type.Optional(
  nameListParameter(
    [...includable, "totals"],
    `${added}. ` +
      "`totals`: the number of all accounts that match the filters, and the sum of their mrr, next to `pagination`",
  ),
);
const listQuery = listQuerySchema(accountList.definition, {
  search: Type.Optional(searchFilter("name or externalId")),
  externalId: Type.Optional(externalIdFilter("account")),
});
export const AccountListQuery = withFields(
  ListedAccount,
  Type.Object({ ...listQuery.properties, include: includeInList }),
);
const onlyInclude = Type.Object({ include });
const writeQuery = Type.Object({ ...WriteQuery.properties, include });
export const GetAccountQuery = withFields(Account, onlyInclude);
export const CreateAccountQuery = withFields(CreatedAccount, writeQuery);
export const UpdateAccountQuery = withFields(UpdatedAccount, writeQuery);

const shapes = inputShapes(accountFields);
const { name: contactName } = inputShapes(contactFields).update;
const options = { additionalProperties: true };

export const NewAccountBody = Type.Object(
  {
    ...shapes.create,
    contactName: { ...contactName, description: "The name of a first contact" },
    contactEmail: Type.Optional(
      text({
        maxLength: contactFields.email.input.maxLength,
        format: "email",
        description: "The e-mail address of a first contact; an empty text is no address",
        examples: [contactFields.email.example],
      }),
    ),
  },
  {
    ...options,
    $id: "NewAccount",
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

export const AccountChangesBody = Type.Object(shapes.update, {
  ...options,
  $id: "AccountChanges",
  description: "At least one field",
  examples: [{ externalId: "acme-2", contactActivityAt: "2026-01-02T03:04:05.678Z" }],
});

export const AccountPutBody = Type.Object(shapes.put, {
  ...options,
  $id: "AccountPut",
  description: "A new account requires `name`. An update leaves absent fields unchanged",
  examples: [{ name: "Acme", mrr: 1250.5, status: "onboarding" }],
});
