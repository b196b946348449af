import type { AttributeResource } from "../../../db/schema.ts";
import { isSearch } from "../lists/indexes.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import { type AttributeConditions, countMatches, orderInputs, valueFilterOf } from "./choice.ts";
import { attributeInputs, attributesCondition } from "./conditions.ts";
import { readAttributeNames } from "./names.ts";
import type { AttributeOrderRequest } from "./order.ts";

type CountedRequest = {
  snapshot: TenantSnapshot;
  resource: AttributeResource;
  conditions: AttributeConditions;
  /** The names of the other conditions, and the inputs of all. */
  otherFilters: readonly string[];
  values: AttributeOrderRequest["values"];
  isNarrow: boolean;
  /** The number of all rows of the organization. */
  countAll: () => Promise<number>;
  countValued: (request: AttributeOrderRequest) => Promise<number>;
};

/**
 * The number of rows that match filters by attributes, read from the index of the values of one of them. Undefined when
 * the rows have to be counted.
 */
export async function countByAttribute(request: CountedRequest): Promise<number | undefined> {
  const { snapshot, resource, conditions, otherFilters, values, isNarrow, countAll, countValued } = request;
  const { orderFilter, filters, ids } = conditions;
  const [only, ...more] = [...filters, ...(orderFilter ? [orderFilter] : [])];
  const isAlone = otherFilters.length === 0 && more.length === 0;
  if (isAlone && !only) return ids?.length;
  if (isAlone && only && !ids) {
    if (!only.isNone) return countMatches(snapshot, resource, only);
    const named = await readAttributeNames(snapshot, resource, [only.name]);
    return (await countAll()) - (named.get(only.name)?.count ?? 0);
  }
  const isChosen = otherFilters.some((filter) => /^(?:range|list):/.test(filter));
  const driver = orderFilter ?? filters.find(({ isNone }) => !isNone);
  if (!driver || (!orderFilter && (ids || isNarrow || isChosen || isSearch(otherFilters)))) return undefined;
  const rest = filters.filter((filter) => filter !== driver);
  return countValued({
    snapshot,
    name: driver.name,
    column: driver.column,
    valueFilter: valueFilterOf(driver),
    order: "asc",
    filters: [
      ...otherFilters,
      ...conditions.names.slice(0, ids ? 1 : 0),
      ...(rest.length > 0 ? [attributesCondition(rest)] : []),
    ],
    values: { ...values, ...attributeInputs(rest), ...orderInputs(driver) },
    canHaveValue: true,
    canBeMissing: async () => false,
  });
}
