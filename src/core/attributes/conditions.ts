import { and, eq, isNotNull, not, type SQL, sql } from "drizzle-orm";
import type { Value } from "../../../db/engine.ts";
import { allOf, compare, isInJson, textInput } from "../../../db/expressions.ts";
import { type AttributeResource, type AttributeType, attributeValues } from "../../../db/schema.ts";
import { invalidParameter } from "../errors.ts";
import type { Condition } from "../lists/condition.ts";
import { comparisons, maxListedValues, NONE, splitList } from "../lists/fields.ts";
import { inSubquery } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { attributePrefix } from "./attributes.ts";
import { jsonNumber, type Operator, type SentFilter } from "./filters.ts";
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
type AttributeRequest = { conditions: Condition[]; order: OrderAttribute | undefined };

/** The conditions and the order by attributes, which depend on the stored types. Throws `invalid_request`. */
export async function readAttributeRequest(
  snapshot: TenantSnapshot,
  of: AttributeResource,
  { sent, orderAttribute }: { sent: readonly SentFilter[]; orderAttribute: string | undefined },
): Promise<AttributeRequest> {
  const ordered = orderAttribute === undefined ? [] : [orderAttribute];
  const names = [...sent.map((filter) => filter.name), ...ordered];
  const stored = await readAttributeNames(snapshot, of, names);
  const conditions = sent.map((filter, i) => conditionOf(of, `a${i}`, filter, stored.get(filter.name)?.type));
  if (orderAttribute === undefined) return { conditions, order: undefined };
  const type = stored.get(orderAttribute)?.type;
  const column = type === "string" ? "text" : type && "number";
  return { conditions, order: { name: orderAttribute, column } };
}

/** Rows whose value matches every operator; `none` matches the rows without the attribute. Throws `invalid_request`. */
function conditionOf(
  of: AttributeResource,
  prefix: string,
  filter: SentFilter,
  type: AttributeType | undefined,
): Condition {
  // Safe: the operators of the filter.
  const operators = Object.keys(filter.values) as Operator[];
  const isNone = filter.values.equal === NONE;
  const inputs = isNone
    ? []
    : operators.map((operator) => [`${prefix}_${operator}`, inputOf(filter, operator, type)]);
  if (isNone ? operators.length > 1 : type === undefined)
    return { shape: `${prefix} nothing`, values: {}, use: "other", sql: () => sql`1 = 0` };
  const column = type === "string" ? "text" : "number";
  const value = attributeValues[column];
  const compared = (operator: Operator) =>
    operator === "in"
      ? isInJson(value, textInput(`${prefix}_in`))
      : compare(value, comparisons[operator], `${prefix}_${operator}`);
  const where = and(isAttribute(of, column, prefix), ...(isNone ? [] : operators.map(compared)));
  return {
    shape: `${prefix} ${column} ${isNone ? NONE : operators}`,
    values: { ...Object.fromEntries(inputs), [`${prefix}Name`]: filter.name },
    use: "other",
    isOnKey: true,
    sql: (key) => {
      const isAmong = inSubquery({ from: attributeValues, key: rowId, where, column: key });
      return isNone ? not(isAmong) : isAmong;
    },
  };
}

/** The input of an operator. Throws `invalid_request` for a text that is no value of the type. */
function inputOf({ name, values }: SentFilter, operator: Operator, type: AttributeType | undefined): Value {
  const parameter = `${attributePrefix}${name}${operator === "equal" ? "" : `[${operator}]`}`;
  const read = (text: string) => {
    if (type === undefined || type === "string") return text;
    const number = type === "boolean" ? booleans.get(text) : readNumber(text);
    if (number !== undefined) return number;
    const detail = type === "boolean" ? "must be true or false" : "must be a number as in JSON";
    throw invalidParameter(parameter, "wrong_type", `${detail}, as the attribute`);
  };
  const text = values[operator] ?? "";
  if (operator !== "in") return read(text);
  const items = splitList(text);
  if (items.length > maxListedValues)
    throw invalidParameter(parameter, "too_many", `must have at most ${maxListedValues} values`);
  return JSON.stringify(items.map(read));
}

const booleans = new Map([
  ["true", 1],
  ["false", 0],
]);

function readNumber(text: string): number | undefined {
  const number = jsonNumber.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
