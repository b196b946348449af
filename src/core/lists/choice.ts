import type { Values } from "../../../db/engine.ts";
import type { TenantStatement } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import { type AnyList, FIELDS, fieldName, listName, rangeName } from "./definition.ts";
import { isRange } from "./fields.ts";
import type { FieldFilters } from "./filter-values.ts";
import { isNarrow, isSearch } from "./indexes.ts";

/** Rows of a range or a list that are read and sorted: about a millisecond. Of more, rows are read in their order. */
const maxSortedRows = 500;

type FilteredRequest = {
  sortBy: string;
  filters: readonly string[];
  fields: FieldFilters;
  values: Values;
  /** The statement of the keys in a range or a list; undefined without an index. */
  scanOf: (condition: string) => TenantStatement<unknown> | undefined;
};

/** The names of the conditions for the fields of a request: of the field whose index is used, if any, and of all. */
export async function chooseFieldConditions(
  snapshot: TenantSnapshot,
  definition: AnyList,
  { sortBy, filters, fields, values, scanOf }: FilteredRequest,
): Promise<string[]> {
  const { filterFields = {} } = definition;
  const { selected, ranges } = fields;
  if (selected.length === 0) return [];
  const withoutIndex = allFieldConditions(fields);
  if (isNarrow(definition, filters) || isSearch(filters)) return withoutIndex;
  const unique = selected.find((name) => {
    const field = filterFields[name];
    return field && !isRange(field) && field.isUnique;
  });
  if (unique) return [listName(unique), ...withoutIndex];
  const column = definition.sortBy[sortBy];
  const inOrder = ranges.find((name) => filterFields[name]?.column === column);
  if (inOrder) return [rangeName(inOrder), ...(selected.length === 1 ? [] : withoutIndex)];
  for (const name of selected) {
    const condition = ranges.includes(name) ? rangeName(name) : listName(name);
    const field = filterFields[name];
    if (field?.kind === "boolean" && fields.inputs[`${name}List`] !== '["false"]') continue;
    const statement = scanOf(condition);
    const probe = { ...values, limit: 1, offset: maxSortedRows };
    if (statement && (await snapshot.all(statement, probe)).length === 0) return [condition, ...withoutIndex];
  }
  return withoutIndex;
}

/** The names of the conditions for all fields of a request, without an index. */
export function allFieldConditions({ selected }: FieldFilters): string[] {
  return selected.length > 1 ? [FIELDS] : selected.map(fieldName);
}

/** The variant that counts the rows of one range in its own order, from an index alone. */
export function countVariant(
  { sortBy, filterFields = {} }: AnyList,
  filters: readonly string[],
  { selected, ranges }: FieldFilters,
): string | undefined {
  const [name = ""] = ranges;
  if (
    selected.length !== 1 ||
    ranges.length !== 1 ||
    !filters.every((filter) => /^(fields|(field|range):.*)$/.test(filter))
  )
    return undefined;
  const sort = Object.entries(sortBy).find(([, column]) => column === filterFields[name]?.column)?.[0];
  return sort && `${sort}/asc/${rangeName(name)}`;
}
