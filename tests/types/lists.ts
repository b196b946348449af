import { Type } from "@sinclair/typebox";
import { contactList } from "../../src/contacts/store.ts";
import type { List } from "../../src/core/lists/list.ts";
import { listQuerySchema } from "../../src/http/validation/list-shapes.ts";
import { text } from "../../src/http/validation/shapes.ts";

const filter = Type.Optional(text());
const filters = { externalId: filter, email: filter, search: filter };

/** Filters of a query that do not compile, and the same that do. The functions are never called. */
export function filtersOfQuery() {
  listQuerySchema(contactList, filters);
  // The list of an account has the id in its path; the list of all accounts has it in the query.
  listQuerySchema(contactList, { ...filters, accountId: filter });
  // @ts-expect-error: a parameter that is no filter of the list.
  listQuerySchema(contactList, { ...filters, name: filter });
  // @ts-expect-error: a misspelled filter.
  listQuerySchema(contactList, { externalId: filter, emial: filter, search: filter });
  // @ts-expect-error: a filter without a schema.
  listQuerySchema(contactList, { externalId: filter, search: filter });
}

export function defaultOrder(list: List<object, "name" | "mrr", "search">) {
  // @ts-expect-error: a sort column that the list does not have.
  return { ...list, defaultOrder: ["email", "asc"] } satisfies typeof list;
}
