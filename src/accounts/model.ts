import { type Static, Type } from "@sinclair/typebox";
import { accountStatuses } from "../../db/schema.ts";
import { AccountContact, type EmbeddedContact, presentEmbeddedContact } from "../contacts/model.ts";
import { parseAttributes } from "../core/attributes/attributes.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import {
  AccountFeatureRequest,
  type EmbeddedFeatureRequest,
  presentEmbeddedFeatureRequest,
} from "../feature-requests/model.ts";
import {
  IncludedContactActivity,
  IncludedHealth,
  presentActivity,
  presentScore,
} from "../health-scores/model.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { attributesShape } from "../http/validation/attribute-shapes.ts";
import { listOf } from "../http/validation/list-shapes.ts";
import {
  choice,
  dataOf,
  externalId,
  integer,
  nullableText,
  nullableTimestamp,
  number,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import { AccountMeeting, type EmbeddedMeeting, presentEmbeddedMeeting } from "../meetings/model.ts";
import type { Includable, Included, MemberQuery } from "./included.ts";
import type { AccountRow } from "./resource.ts";
import type { ListedAccountRow } from "./search.ts";
import type { AccountWithLists } from "./store.ts";

/** The constraints of members that requests and replies share. */
export const constraints = {
  name: { minLength: 1, maxLength: 255, pattern: "\\S", examples: ["Acme"] },
  externalId,
  mrr: { description: "Monthly recurring revenue", examples: [1250.5] },
  // No format `uri` in replies: a stored http URL may have characters that a URI may not have.
  logoUrl: { maxLength: 2048, examples: ["https://example.com/logo.png"] },
} as const;

const account = Type.Object({
  id: integer({ examples: [42] }),
  name: text(constraints.name),
  externalId: nullableText(constraints.externalId),
  mrr: number(constraints.mrr),
  active: Type.Boolean({
    description: "All three flags are false for an inactive account",
    examples: [true],
  }),
  churned: Type.Boolean({ examples: [false] }),
  onboarding: Type.Boolean({ examples: [false] }),
  logoUrl: nullableText(constraints.logoUrl),
  contactActivityAt: nullableTimestamp("When a contact was last active; set through the API"),
  contacts: Type.Array(AccountContact, { description: "The first 100 contacts by id" }),
  meetings: Type.Array(AccountMeeting, {
    description: "The 20 latest meetings that have begun, latest first",
  }),
  requests: Type.Array(AccountFeatureRequest, { description: "The 100 latest requests, latest first" }),
  createdAt: timestamp("When the account was created"),
  updatedAt: timestamp("When the account last changed; strictly increasing"),
});
const lists = ["contacts", "meetings", "requests"] as const;
const status = choice(accountStatuses, { description: "The three flags as one value", examples: ["active"] });
const { contacts, meetings, requests } = account.properties;
/** What `include` adds to every reply. */
const included = {
  status: Type.Optional(status),
  health: Type.Optional(IncludedHealth),
  contactActivity: Type.Optional(IncludedContactActivity),
  attributes: Type.Optional(attributesShape),
};
const includedLists = {
  contacts: Type.Optional(contacts),
  meetings: Type.Optional(meetings),
  requests: Type.Optional(requests),
};

export const CreatedAccount = Type.Object(
  {
    ...Type.Omit(account, [...lists, "logoUrl", "contactActivityAt"]).properties,
    ...included,
    ...includedLists,
  },
  { $id: "CreatedAccount" },
);
export const UpdatedAccount = Type.Object(
  { ...Type.Omit(account, [...lists, "logoUrl"]).properties, ...included, ...includedLists },
  { $id: "UpdatedAccount" },
);
export const ListedAccount = Type.Object(
  { ...Type.Omit(account, [...lists, "contactActivityAt"]).properties, ...included, ...includedLists },
  { $id: "ListedAccount" },
);
export const Account = Type.Object(
  { ...Type.Omit(account, ["contactActivityAt"]).properties, ...included },
  { $id: "Account" },
);

/** An account in a change: its status, and every member that changes are recorded of. */
export const RecordedAccount = Type.Object(
  {
    ...Type.Pick(account, ["id", "name", "externalId", "mrr"]).properties,
    status,
    ...Type.Omit(account, [...lists, "id", "name", "externalId", "mrr"]).properties,
    attributes: attributesShape,
  },
  { $id: "RecordedAccount", description: "All members of an account in a change" },
);

export const AccountPage = listOf(ListedAccount, "AccountPage");
export const AccountReply = dataOf(Account, "AccountReply");
export const CreatedAccountReply = dataOf(CreatedAccount, "CreatedAccountReply");
export const UpdatedAccountReply = dataOf(UpdatedAccount, "UpdatedAccountReply");

export function presentListed(row: ListedAccountRow): Static<typeof ListedAccount> {
  return { ...presentLeadingMembers(row), logoUrl: row.logoUrl, ...presentTimestamps(row) };
}

export function presentCreated(row: Presentable): Static<typeof CreatedAccount> {
  return { ...presentLeadingMembers(row), ...presentTimestamps(row) };
}

export function presentUpdated(row: AccountRow): Static<typeof UpdatedAccount> {
  return {
    ...presentLeadingMembers(row),
    contactActivityAt: formatNullable(row.contactActivityAt),
    ...presentTimestamps(row),
  };
}

export function presentAccount(row: AccountWithLists): Static<typeof Account> {
  return {
    ...presentListed(row),
    contacts: presentContacts(row.contacts),
    meetings: presentMeetings(row.meetings),
    requests: presentRequests(row.requests),
  };
}

/** The account with the members that `include` adds, if any. */
export function addIncluded<View extends object>(
  view: View,
  included: Included | undefined,
): View & Pick<Static<typeof ListedAccount>, Includable> {
  return included ? { ...view, ...presentIncluded(included) } : view;
}

/** The members of a reply about one account: those that `include` adds, without those that `fields` leaves out. */
export function selectMembers<View extends object>(
  view: View,
  included: Included | undefined,
  query: MemberQuery,
) {
  return memberSelector(query)(addIncluded(view, included));
}

function presentIncluded({
  status,
  health,
  contactActivity,
  contacts,
  meetings,
  requests,
  attributes,
}: Included): Pick<Static<typeof ListedAccount>, Includable> {
  return {
    ...(status && { status }),
    ...(health && { health: presentScore(health) }),
    ...(contactActivity && { contactActivity: presentActivity(contactActivity) }),
    ...(attributes && { attributes: parseAttributes(attributes) }),
    ...(contacts && { contacts: presentContacts(contacts) }),
    ...(meetings && { meetings: presentMeetings(meetings) }),
    ...(requests && { requests: presentRequests(requests) }),
  };
}

const presentContacts = (json: string) => parseRows<EmbeddedContact>(json).map(presentEmbeddedContact);
const presentMeetings = (json: string) => parseRows<EmbeddedMeeting>(json).map(presentEmbeddedMeeting);
const presentRequests = (json: string) =>
  parseRows<EmbeddedFeatureRequest>(json).map(presentEmbeddedFeatureRequest);

type Presentable = Pick<
  AccountRow,
  "id" | "name" | "externalId" | "mrr" | "status" | "createdAt" | "updatedAt"
>;

function presentLeadingMembers({ id, name, externalId, mrr, status }: Presentable) {
  return {
    id,
    name,
    externalId,
    mrr,
    active: status === "active",
    churned: status === "churned",
    onboarding: status === "onboarding",
  };
}

function presentTimestamps({ createdAt, updatedAt }: Presentable) {
  return { createdAt: formatTimestamp(createdAt), updatedAt: formatTimestamp(updatedAt) };
}

function parseRows<R>(json: string): R[] {
  // Safe: the statement makes this text from the fields that R lists.
  return parseStoredJson(json) as R[];
}
