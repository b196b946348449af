import { type Static, Type } from "@sinclair/typebox";
import { parseAttributes } from "../core/attributes/attributes.ts";
import { presenterOf } from "../core/resource/field-columns.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import {
  IncludedContactActivity,
  IncludedHealth,
  presentActivity,
  presentScore,
} from "../health-scores/model.ts";
import { replyShapes } from "../http/resource/field-shapes.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { listOf, revenueShape } from "../http/validation/list-shapes.ts";
import { dataOf } from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import { ofSubResources } from "../resources.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { namesIn, namesOf } from "../shared/fields/field.ts";
import { resourceOf, type SubResourceName, subResourceNames } from "../shared/resources.ts";
import type { Includable, Included, MemberQuery } from "./included.ts";
import type { AccountWithLists } from "./store.ts";

const names = {
  create: namesIn(accountFields, "create"),
  update: namesIn(accountFields, "update"),
  get: namesIn(accountFields, "get"),
  list: namesIn(accountFields, "list"),
};
const { status, attributes } = replyShapes(accountFields, ["status", "attributes"]);
const lists = ofSubResources((name) => subResourceShapes[name].embedded);
const includedLists = ofSubResources((name) => Type.Optional(lists[name]));
/** What `include` adds to every reply. */
const included = {
  status: Type.Optional(status),
  health: Type.Optional(IncludedHealth),
  contactActivity: Type.Optional(IncludedContactActivity),
  attributes: Type.Optional(attributes),
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
  description: "All fields of an account in a change",
});

const AccountTotals = Type.Object(revenueShape, {
  $id: "AccountTotals",
  description: "All accounts that match the filters; with `include=totals`",
});
export const AccountPage = listOf(ListedAccount, "AccountPage", { totals: Type.Optional(AccountTotals) });
export const AccountReply = dataOf(Account, "AccountReply");
export const CreatedAccountReply = dataOf(CreatedAccount, "CreatedAccountReply");
export const UpdatedAccountReply = dataOf(UpdatedAccount, "UpdatedAccountReply");

export const presentCreated = presenterOf<Static<typeof CreatedAccount>>(accountFields, names.create);
export const presentUpdated = presenterOf<Static<typeof UpdatedAccount>>(accountFields, names.update);
export const presentListed = presenterOf<Static<typeof ListedAccount>>(accountFields, names.list);
const presentGot = presenterOf<Omit<Static<typeof Account>, keyof typeof lists>>(accountFields, names.get);

export function presentAccount(row: AccountWithLists): Static<typeof Account> {
  return { ...presentGot(row), ...presentLists(row) } as Static<typeof Account>;
}

export function addIncluded<View extends object>(
  view: View,
  included: Included | undefined,
): View & Pick<Static<typeof ListedAccount>, Includable> {
  return included ? { ...view, ...presentIncluded(included) } : view;
}

/** The account of a reply, with the members that `include` adds, without the members that `fields` leaves out. */
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
  attributes,
  ...lists
}: Included): Pick<Static<typeof ListedAccount>, Includable> {
  return {
    ...(status && { status }),
    ...(health && { health: presentScore(health) }),
    ...(contactActivity && { contactActivity: presentActivity(contactActivity) }),
    ...(attributes && { attributes: parseAttributes(attributes) }),
    ...presentLists(lists),
  };
}

const listPresenters = ofSubResources((list) => {
  const { fields, embedded: names = [] } = resourceOf(list);
  return { names, present: presenterOf(fields, names) };
});

/** Presents lists of JSON: of each row the values of its fields. */
function presentLists(lists: { readonly [List in SubResourceName]?: string }): object {
  const views: { [list: string]: object[] } = {};
  for (const list of subResourceNames) {
    const { [list]: json } = lists;
    if (json === undefined) continue;
    const { names, present } = listPresenters[list];
    // Safe: the statement makes this text from the columns of the fields.
    const rows = parseStoredJson(json) as unknown[][];
    views[list] = rows.map((values) => {
      const row: Record<string, unknown> = {};
      for (const [i, name] of names.entries()) row[name] = values[i];
      return present(row);
    });
  }
  return views;
}
