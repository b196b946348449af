import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { AccountPutBody } from "../accounts/input.ts";
import { invalidField, Problem, withPrefix } from "../core/errors.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { asMembers, readItems, requireMembers, validateEach } from "../http/validation/items.ts";
import { createMemberValidator } from "../http/validation/member-validator.ts";
import { documentedOnly, requiredExternalId } from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import { ofSubResources } from "../resources.ts";
import { maxRequestItems } from "../shared/request-limits.ts";
import { resources, type SubResourceName, subResourceNames } from "../shared/resources.ts";
import type { AccountUpsert } from "./store.ts";

/** Accounts and sub-resources. */
const maxRows = 5_000;

const options = { additionalProperties: true };
const accountMembers = { externalId: requiredExternalId, ...AccountPutBody.properties };
/** A contact can be named by its address instead of an `externalId`. */
const byAddress = "contacts";
const lists = ofSubResources((name) => {
  const put: TObject = Type.Omit(subResourceShapes[name].bodies.put, ["accountId", "accountExternalId"]);
  const externalId = name === byAddress ? Type.Optional(requiredExternalId) : requiredExternalId;
  return Type.Object(
    { externalId, ...put.properties },
    {
      ...options,
      $id: `${resources[name].title}Upsert`,
      ...(name === byAddress && { description: "Requires `externalId` or `email`" }),
    },
  );
});
const documentedLists = ofSubResources((name) => Type.Optional<TSchema>(Type.Array<TObject>(lists[name])));

export const AccountBatchBody = documentedOnly(
  Type.Object(
    {
      accounts: Type.Array(
        Type.Object({ ...accountMembers, ...documentedLists }, { ...options, $id: "AccountUpsert" }),
        { maxItems: maxRequestItems },
      ),
    },
    {
      ...options,
      $id: "AccountBatch",
      examples: [
        {
          accounts: [
            {
              externalId: "acme",
              name: "Acme",
              mrr: 1250.5,
              contacts: [{ name: "Ada Lovelace", email: "ada@example.com" }],
              requests: [{ externalId: "sso", title: "Single sign-on", severity: 4 }],
            },
          ],
        },
      ],
    },
  ),
);

const validateAccount = createMemberValidator(Type.Object(accountMembers), subResourceNames);
const rowValidators = ofSubResources((name) => createMemberValidator(lists[name]));

/**
 * Validates the accounts of a body one by one: the result has the problem of each invalid one. Throws `invalid_request`
 * when the body has no list of accounts, or too many rows.
 */
export async function readAccountBatch(
  parsedBody: ParsedBody,
  { isStrict }: { isStrict: boolean },
): Promise<(AccountUpsert | Problem)[]> {
  const items = readItems({ ...releaseBody(parsedBody) }, "accounts");
  const rowCount = items.reduce<number>((count, item) => count + rowsOf(item), 0);
  if (rowCount > maxRows)
    throw invalidField("/accounts", "too_many", `must contain at most ${maxRows} accounts and sub-resources`);
  return validateEach(items, "accounts", (item) => readAccount(item, isStrict));
}

function rowsOf(item: unknown): number {
  const members = asMembers(item) ?? {};
  return subResourceNames.reduce((count, name) => {
    const list = members[name];
    return Array.isArray(list) ? count + list.length : count;
  }, 1);
}

function readAccount(item: unknown, isStrict: boolean): AccountUpsert {
  const members = requireMembers(item);
  const account = Object.fromEntries(
    Object.entries(members).filter(([name]) => !Object.hasOwn(rowValidators, name)),
  );
  // Safe: each is valid by the schema of these inputs.
  return {
    account: validateAccount(account, isStrict),
    ...ofSubResources((name) => readList(name, members[name], isStrict)),
  } as unknown as AccountUpsert;
}

function readList(name: SubResourceName, list: unknown, isStrict: boolean): object[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw invalidField(`/${name}`, "wrong_type", "must be an array");
  return list.map((item: unknown, i) =>
    withPrefix(`/${name}/${i}`, () => {
      const input = rowValidators[name](item, isStrict);
      if (name === byAddress && !hasKey(input))
        throw invalidField("/externalId", "required", "or email is required");
      return input;
    }),
  );
}

function hasKey(contact: { externalId?: unknown; email?: unknown }): boolean {
  return contact.externalId !== undefined || (typeof contact.email === "string" && contact.email !== "");
}

/** The rows of the valid accounts: the accounts and their sub-resources. */
export function rowsOfBatch(items: readonly (AccountUpsert | Problem)[]): object[] {
  return items.flatMap((item) =>
    item instanceof Problem ? [] : [item.account, ...subResourceNames.flatMap((name) => item[name])],
  );
}
