import type { Value } from "../../db/engine.ts";
import type { AttributeResource, AttributeType } from "../../db/schema.ts";
import {
  ATTRIBUTE_IDS,
  attributeInputs,
  attributesCondition,
  matchingStatements,
} from "./attribute-conditions.ts";
import { type AttributeFilter, readAttributeFilter, type SentFilter } from "./attribute-filters.ts";
import { readAttributeNames } from "./attribute-names.ts";
import type { TenantSnapshot } from "./tenant.ts";

/** Matches of one filter that are read and sorted: about a millisecond. Of more, rows are read in their order. */
const maxSortedRows = 500;

/** The filters by attributes of a request. */
export type AttributeConditions = {
  /** The type of the attribute of the order, and the number of rows that have it. */
  ordered: { type: AttributeType; count: number } | undefined;
  filters: readonly AttributeFilter[];
  /** The names of their conditions. */
  names: readonly string[];
  values: Record<string, Value>;
};

/** The conditions of a request without attributes. */
export const noAttributes: AttributeConditions = { ordered: undefined, filters: [], names: [], values: {} };

/** Reads the filters, and the few ids that one of them matches. Throws `invalid_request`. */
export async function readAttributeConditions(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  { sent, order, isNarrow }: { sent: readonly SentFilter[]; order: string | undefined; isNarrow: boolean },
): Promise<AttributeConditions> {
  const named = [...sent.map(({ name }) => name), ...(order === undefined ? [] : [order])];
  const known = await readAttributeNames(snapshot, resource, named);
  const ordered = known.get(order ?? "");
  const filters = sent.map((filter) => readAttributeFilter(filter, known.get(filter.name)?.type));
  if (filters.length === 0) return { ordered, filters, names: [], values: {} };
  const names = [attributesCondition(filters.length)];
  const values = attributeInputs(filters);
  const ids = isNarrow ? undefined : await findFewIds(snapshot, resource, filters);
  if (!ids) return { ordered, filters, names, values };
  return {
    ordered,
    filters,
    names: [ATTRIBUTE_IDS, ...names],
    values: { ...values, [ATTRIBUTE_IDS]: JSON.stringify(ids) },
  };
}

/** The ids of the rows that match the first filter with few matches. */
async function findFewIds(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  filters: readonly AttributeFilter[],
): Promise<number[] | undefined> {
  for (const filter of filters) {
    if (filter.name === "") return [];
    if (filter.isNone) continue;
    const page = { limit: maxSortedRows + 1, offset: 0 };
    const rows = await snapshot.all(statementsFor(filter).ids, { ...valuesOf(resource, filter), ...page });
    if (rows.length <= maxSortedRows) return rows.map(({ rowId }) => rowId);
  }
  return undefined;
}

/** The number of rows that match one filter which is not `none`, from an index alone. */
export async function countMatches(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  filter: AttributeFilter,
): Promise<number> {
  return (await snapshot.first(statementsFor(filter).total, valuesOf(resource, filter)))?.count ?? 0;
}

function statementsFor({ column, list }: AttributeFilter) {
  return matchingStatements[list.length > 0 ? (`${column}List` as const) : column];
}

function valuesOf(resource: AttributeResource, filter: AttributeFilter): Record<string, Value> {
  return { ...attributeInputs([filter]), resource, name: filter.name };
}
