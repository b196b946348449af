import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { textInput } from "../../db/expressions.ts";
import { accounts, contacts, meetings } from "../../db/schema.ts";
import type { AccountListQuery } from "../../src/accounts/input.ts";
import { accountList } from "../../src/accounts/list.ts";
import { fold } from "../../src/core/folding.ts";
import { defineList, type List } from "../../src/core/lists/list.ts";
import { externalIdConflict } from "../../src/core/resource/definition.ts";
import { defineResource } from "../../src/core/resource/resource.ts";
import type { TenantSnapshot } from "../../src/core/tenant/transaction.ts";
import { listQuerySchema, searchFilter } from "../../src/http/validation/list-shapes.ts";

/** Declarations of resources and lists that do not compile, and the same that do. The functions are never called. */
type MeetingInput = { externalId?: string | null; title: string; startAt: string; endAt?: string | null };

const fields = {
  id: meetings.id,
  accountId: meetings.accountId,
  externalId: meetings.externalId,
  title: meetings.title,
  startAt: meetings.startAt,
  endAt: meetings.endAt,
  createdAt: meetings.createdAt,
  updatedAt: meetings.updatedAt,
  version: meetings.version,
};
const columnsOf = () => ({ title: "", startAt: 0, endAt: 0 });
const ofTitle = { of: "title" as const, by: fold };
const ofExternalId = { of: "externalId" as const, by: fold };
const definition = {
  type: "meeting" as const,
  table: meetings,
  fields,
  folded: { foldedTitle: ofTitle },
  columnsOf,
  conflicts: [externalIdConflict("meeting", meetings)],
};
const { endAt, ...withoutEnd } = fields;

export function resources() {
  defineResource<"meeting", MeetingInput>(definition);
  // @ts-expect-error: a field is missing.
  defineResource<"meeting", MeetingInput>({ ...definition, fields: withoutEnd });
  // @ts-expect-error: a field is misspelled.
  defineResource<"meeting", MeetingInput>({ ...definition, fields: { ...withoutEnd, endsAt: endAt } });
  // @ts-expect-error: a field with another column.
  defineResource<"meeting", MeetingInput>({ ...definition, fields: { ...fields, startAt: endAt } });
  // @ts-expect-error: a field with a column of another table.
  defineResource<"meeting", MeetingInput>({ ...definition, fields: { ...fields, id: accounts.id } });
  // @ts-expect-error: the table of another resource.
  defineResource<"meeting", MeetingInput>({ ...definition, table: contacts });
  // @ts-expect-error: the folded copy is missing.
  defineResource<"meeting", MeetingInput>({ ...definition, folded: {} });
  // @ts-expect-error: the folded copy is misspelled.
  defineResource<"meeting", MeetingInput>({ ...definition, folded: { foldedTitel: ofTitle } });
  // @ts-expect-error: a folded copy of another column.
  defineResource<"meeting", MeetingInput>({ ...definition, folded: { foldedTitle: ofExternalId } });
  // @ts-expect-error: a column is missing.
  defineResource<"meeting", MeetingInput>({ ...definition, columnsOf: () => ({ title: "", startAt: 0 }) });
  defineResource<"meeting", MeetingInput>({
    ...definition,
    // @ts-expect-error: a column is misspelled.
    columnsOf: () => ({ title: "", startAt: 0, endsAt: 0 }),
  });
  // @ts-expect-error: a column of another type.
  defineResource<"meeting", MeetingInput>({ ...definition, columnsOf: () => ({ ...columnsOf(), title: 1 }) });
  // @ts-expect-error: no such resource.
  defineResource<"event", MeetingInput>(definition);
}

const list = {
  name: "types.list",
  from: meetings,
  key: meetings.id,
  fields: { id: meetings.id, title: meetings.title },
  sortBy: { title: meetings.foldedTitle, startAt: meetings.startAt },
  defaultOrder: ["startAt", "desc"] as const,
  filters: { search: eq(meetings.title, textInput("search")), title: eq(meetings.title, textInput("title")) },
};

export function lists() {
  defineList({ ...list, searchOrder: "title", foldedInputs: { search: fold }, narrow: { title: "startAt" } });
  // @ts-expect-error: the default order has an unknown column.
  defineList({ ...list, defaultOrder: ["name", "desc"] });
  // @ts-expect-error: the direction is unknown.
  defineList({ ...list, defaultOrder: ["title", "up"] });
  // @ts-expect-error: an order by a name instead of a column.
  defineList({ ...list, sortBy: { title: "title" } });
  // @ts-expect-error: the lists of orders do not include the searched column.
  defineList({ ...list, searchOrder: "name" });
  // @ts-expect-error: no such filter.
  defineList({ ...list, foldedInputs: { name: fold } });
  // @ts-expect-error: no such filter.
  defineList({ ...list, inOrder: ["name"] });
}

const search = { page: 1, pageSize: 25 };

export async function queries(snapshot: TenantSnapshot) {
  await accountList.read(snapshot, { ...search, sortBy: "mrr", sortOrder: "desc", status: "active" });
  // @ts-expect-error: no order by this member.
  await accountList.read(snapshot, { ...search, sortBy: "status" });
  // @ts-expect-error: no such direction.
  await accountList.read(snapshot, { ...search, sortOrder: "up" });
  // @ts-expect-error: a misspelled filter.
  await accountList.read(snapshot, { ...search, statsu: "active" });
  // @ts-expect-error: a filter of another type.
  await accountList.read(snapshot, { ...search, status: true });
  const { rows } = await accountList.read(snapshot, search);
  // @ts-expect-error: a member that the list does not read.
  rows[0]?.foldedName;
}

type Sorted = List<unknown, "title" | "startAt", "search" | "accountId">;

export function schemas(sorted: Sorted) {
  const schema = listQuerySchema(sorted, { search: searchFilter("title") });
  // @ts-expect-error: a filter of the list has no schema.
  listQuerySchema(sorted, {});
  const sortBy: "title" | "startAt" | undefined = ({} as Static<typeof schema>).sortBy;
  // @ts-expect-error: the orders of the query are those of the list.
  const other: "name" | undefined = ({} as Static<typeof schema>).sortBy;
  const query: Static<typeof AccountListQuery> = { sortBy: "name", status: "churned" };
  // @ts-expect-error: the list of accounts has no such order.
  const unsortable: Static<typeof AccountListQuery> = { sortBy: "status" };
  return { sortBy, other, query, unsortable };
}
