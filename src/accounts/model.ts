import { type Static, Type } from "@sinclair/typebox";
import { AccountContact } from "../contacts/model.ts";
import { parseAttributes } from "../core/attributes/attributes.ts";
import { presenterOf } from "../core/resource/field-columns.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { AccountFeatureRequest } from "../feature-requests/model.ts";
import {
  IncludedContactActivity,
  IncludedHealth,
  presentActivity,
  presentScore,
} from "../health-scores/model.ts";
import { replyShapes } from "../http/resource/field-shapes.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { listOf } from "../http/validation/list-shapes.ts";
import { dataOf } from "../http/validation/shapes.ts";
import { AccountMeeting } from "../meetings/model.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { contactFields, embeddedContactFields } from "../shared/fields/contacts.ts";
import { namesIn, namesOf, type ResourceFields } from "../shared/fields/field.ts";
import { embeddedMeetingFields, meetingFields } from "../shared/fields/meetings.ts";
import { embeddedRequestFields, requestFields } from "../shared/fields/requests.ts";
import type { Includable, Included, MemberQuery } from "./included.ts";
import type { AccountWithLists } from "./store.ts";

const names = {
  create: namesIn(accountFields, "create"),
  update: namesIn(accountFields, "update"),
  get: namesIn(accountFields, "get"),
  list: namesIn(accountFields, "list"),
};
const { status, attributes } = replyShapes(accountFields, ["status", "attributes"]);
const lists = {
  contacts: Type.Array(AccountContact, { description: "The first 100 contacts by id" }),
  meetings: Type.Array(AccountMeeting, {
    description: "The 20 latest meetings that have begun, latest first",
  }),
  requests: Type.Array(AccountFeatureRequest, { description: "The 100 latest requests, latest first" }),
};
/** What `include` adds to every reply. */
const included = {
  status: Type.Optional(status),
  health: Type.Optional(IncludedHealth),
  contactActivity: Type.Optional(IncludedContactActivity),
  attributes: Type.Optional(attributes),
};
const includedLists = {
  contacts: Type.Optional(lists.contacts),
  meetings: Type.Optional(lists.meetings),
  requests: Type.Optional(lists.requests),
};

export const CreatedAccount = Type.Object(
  { ...replyShapes(accountFields, names.create), ...included, ...includedLists },
  { $id: "CreatedAccount" },
);
export const UpdatedAccount = Type.Object(
  { ...replyShapes(accountFields, names.update), ...included, ...includedLists },
  { $id: "UpdatedAccount" },
);
export const ListedAccount = Type.Object(
  { ...replyShapes(accountFields, names.list), ...included, ...includedLists },
  { $id: "ListedAccount" },
);
export const Account = Type.Object(
  { ...replyShapes(accountFields, names.get), ...lists, ...included },
  { $id: "Account" },
);

/** An account in a change: its status, and every member that changes are recorded of. */
export const RecordedAccount = Type.Object(replyShapes(accountFields, namesOf(accountFields)), {
  $id: "RecordedAccount",
  description: "All members of an account in a change",
});

export const AccountPage = listOf(ListedAccount, "AccountPage");
export const AccountReply = dataOf(Account, "AccountReply");
export const CreatedAccountReply = dataOf(CreatedAccount, "CreatedAccountReply");
export const UpdatedAccountReply = dataOf(UpdatedAccount, "UpdatedAccountReply");

export const presentCreated = presenterOf<Static<typeof CreatedAccount>>(accountFields, names.create);
export const presentUpdated = presenterOf<Static<typeof UpdatedAccount>>(accountFields, names.update);
export const presentListed = presenterOf<Static<typeof ListedAccount>>(accountFields, names.list);
const presentGot = presenterOf<Omit<Static<typeof Account>, keyof typeof lists>>(accountFields, names.get);

export function presentAccount(row: AccountWithLists): Static<typeof Account> {
  return {
    ...presentGot(row),
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

const presentContacts = listPresenter<Static<typeof AccountContact>>(contactFields, embeddedContactFields);
const presentMeetings = listPresenter<Static<typeof AccountMeeting>>(meetingFields, embeddedMeetingFields);
const presentRequests = listPresenter<Static<typeof AccountFeatureRequest>>(
  requestFields,
  embeddedRequestFields,
);

/** Presents the JSON of rows, each an array with the values of these fields. */
function listPresenter<View extends object>(fields: ResourceFields, names: readonly string[]) {
  const present = presenterOf<View>(fields, names);
  return (json: string) =>
    // Safe: the statement makes this text from the columns of the fields.
    (parseStoredJson(json) as unknown[][]).map((values) =>
      present(Object.fromEntries(names.map((name, i) => [name, values[i]]))),
    );
}
