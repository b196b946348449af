import { Type } from "@sinclair/typebox";
import { AccountPutBody } from "../accounts/input.ts";
import { contactBodies } from "../contacts/input.ts";
import { invalidField, type Problem, withPrefix } from "../core/errors.ts";
import { requestBodies } from "../feature-requests/input.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { asMembers, readItems, validateEach } from "../http/validation/items.ts";
import { MemberValidator } from "../http/validation/member-validator.ts";
import { documentedOnly, externalId, text } from "../http/validation/shapes.ts";
import { meetingBodies } from "../meetings/input.ts";
import type { AccountUpsert } from "./store.ts";

const maxAccounts = 1_000;
/** Accounts and sub-resources. */
const maxRows = 5_000;

const key = text({ ...externalId, minLength: 1 });
const options = { additionalProperties: true };
const accountMembers = { externalId: key, ...AccountPutBody.properties };
const reference = ["accountId", "accountExternalId"] as const;
const lists = {
  contacts: Type.Object(
    { externalId: Type.Optional(key), ...Type.Omit(contactBodies.put, reference).properties },
    { ...options, $id: "ContactUpsert", description: "Requires `externalId` or `email`" },
  ),
  meetings: Type.Object(
    { externalId: key, ...Type.Omit(meetingBodies.put, reference).properties },
    { ...options, $id: "MeetingUpsert" },
  ),
  requests: Type.Object(
    { externalId: key, ...Type.Omit(requestBodies.put, reference).properties },
    { ...options, $id: "RequestUpsert" },
  ),
};
type ListName = keyof typeof lists;
// Safe: the object has these keys and no others.
const listNames = Object.keys(lists) as ListName[];

const documentedLists = {
  contacts: Type.Optional(Type.Array(lists.contacts)),
  meetings: Type.Optional(Type.Array(lists.meetings)),
  requests: Type.Optional(Type.Array(lists.requests)),
};
export const AccountBatchBody = documentedOnly(
  Type.Object(
    {
      accounts: Type.Array(
        Type.Object({ ...accountMembers, ...documentedLists }, { ...options, $id: "AccountUpsert" }),
        { maxItems: maxAccounts },
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

const accountValidator = new MemberValidator(Type.Object(accountMembers), listNames);
const listValidators = {
  contacts: new MemberValidator(lists.contacts),
  meetings: new MemberValidator(lists.meetings),
  requests: new MemberValidator(lists.requests),
};

/**
 * Validates the accounts of a body one by one: the result has the problem of each invalid one. Throws `invalid_request`
 * when the body has no list of accounts, or too many rows.
 */
export async function readAccountBatch(
  parsedBody: ParsedBody,
  { isStrict }: { isStrict: boolean },
): Promise<(AccountUpsert | Problem)[]> {
  const items = readItems({ ...releaseBody(parsedBody) }, "accounts", maxAccounts);
  const rowCount = items.reduce<number>((count, item) => count + rowsOf(item), 0);
  if (rowCount > maxRows)
    throw invalidField("/accounts", "too_many", `must contain at most ${maxRows} accounts and sub-resources`);
  return validateEach(items, "accounts", (item) => readAccount(item, isStrict));
}

function rowsOf(item: unknown): number {
  const members = asMembers(item) ?? {};
  return listNames.reduce((count, name) => {
    const list = members[name];
    return Array.isArray(list) ? count + list.length : count;
  }, 1);
}

function readAccount(item: unknown, isStrict: boolean): AccountUpsert {
  const members = asMembers(item);
  if (!members) throw invalidField("", "wrong_type", "must be an object");
  const { contacts, meetings, requests, ...account } = members;
  // Safe: each is valid by the schema of these inputs.
  return {
    account: accountValidator.validate(account, isStrict),
    contacts: readList("contacts", contacts, isStrict),
    meetings: readList("meetings", meetings, isStrict),
    requests: readList("requests", requests, isStrict),
  } as unknown as AccountUpsert;
}

function readList(name: ListName, list: unknown, isStrict: boolean): object[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) throw invalidField(`/${name}`, "wrong_type", "must be an array");
  return list.map((item: unknown, i) =>
    withPrefix(`/${name}/${i}`, () => {
      const input = listValidators[name].validate(item, isStrict);
      if (name === "contacts" && !hasKey(input))
        throw invalidField("/externalId", "required", "or email is required");
      return input;
    }),
  );
}

function hasKey(contact: { externalId?: unknown; email?: unknown }): boolean {
  return contact.externalId !== undefined || (typeof contact.email === "string" && contact.email !== "");
}
