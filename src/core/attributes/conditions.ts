import { and, eq, isNotNull, not, type SQL, sql } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import { allOf, compare, isInJson, textInput } from "../../../db/expressions.ts";
import { type AttributeResource, attributeValues } from "../../../db/schema.ts";
import type { Condition } from "../lists/condition.ts";
import { inSubquery } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { type AttributeFilter, readAttributeFilter, type SentFilter } from "./filters.ts";
import { readAttributeNames } from "./names.ts";

const { resource, rowId, name, text, number } = attributeValues;

/** The conditions of the partial indexes of values. */
export const hasValue = { text: isNotNull(text), number: isNotNull(number) };

/** The values of an attribute, in the index by value. `prefix` begins the names of the inputs. */
export function isAttribute(of: AttributeResource, column: "text" | "number", prefix: string): SQL {
  const isNamed = eq(name, textInput(`${prefix}Name`));
  return allOf(sql`${resource} = ${sql.raw(`'${of}'`)}`, isNamed, hasValue[column]);
}

/** The attribute of an order. Without a column, no row has it. */
export type OrderAttribute = { name: string; column: "text" | "number" | undefined };
export type AttributeRequest = { conditions: Condition[]; order: OrderAttribute | undefined };

/** The conditions and the order by attributes, which depend on the stored types. Throws `invalid_request`. */
export async function readAttributeRequest(
  snapshot: TenantSnapshot,
  of: AttributeResource,
  { sent, orderAttribute }: { sent: readonly SentFilter[]; orderAttribute: string | undefined },
): Promise<AttributeRequest> {
  const ordered = orderAttribute === undefined ? [] : [orderAttribute];
  const names = [...sent.map((filter) => filter.name), ...ordered];
  const stored = await readAttributeNames(snapshot, of, names);
  const conditions = sent.map((filter, i) =>
    conditionOf(of, `a${i}`, readAttributeFilter(filter, stored.get(filter.name)?.type)),
  );
  if (orderAttribute === undefined) return { conditions, order: undefined };
  const type = stored.get(orderAttribute)?.type;
  const column = type === "string" ? "text" : type && "number";
  return { conditions, order: { name: orderAttribute, column } };
}

function conditionOf(of: AttributeResource, prefix: string, filter: AttributeFilter): Condition {
  const { column, isNone, list } = filter;
  const compared = list.length > 0 ? "list" : "range";
  const kind = isNone ? "none" : compared;
  const inputs = kind === "none" ? {} : inputsOf(prefix, filter);
  const where = and(
    isAttribute(of, column, prefix),
    kind === "list" ? isInJson(attributeValues[column], textInput(`${prefix}List`)) : undefined,
    kind === "range" ? isInRange(column, prefix) : undefined,
  );
  return {
    shape: `${prefix} ${column} ${kind}`,
    values: { ...inputs, [`${prefix}Name`]: filter.name },
    use: "other",
    isOnKey: true,
    sql: (key) => {
      const isAmong = inSubquery({ from: attributeValues, key: rowId, where, column: key });
      return isNone ? not(isAmong) : isAmong;
    },
  };
}

function inputsOf(prefix: string, { column, list, ...range }: AttributeFilter): Values {
  if (list.length > 0) return { [`${prefix}List`]: JSON.stringify(list) };
  const [low, end] = column === "text" ? [range.textLow, range.textEnd] : [range.low, range.high];
  return { [`${prefix}Low`]: low, [`${prefix}End`]: end };
}

/** The end of a range of texts is excluded. */
function isInRange(column: "text" | "number", prefix: string): SQL {
  const value = attributeValues[column];
  const isBefore = compare(value, column === "text" ? "<" : "<=", `${prefix}End`);
  return allOf(compare(value, ">=", `${prefix}Low`), isBefore);
}
