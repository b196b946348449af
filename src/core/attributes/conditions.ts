import { and, not, type SQL, sql } from "drizzle-orm";
import type { Value, Values } from "../../../db/engine.ts";
import { type Column, compare, isInJson, textInput, withoutPostgresIndex } from "../../../db/expressions.ts";
import { isFoldedMatch } from "../../../db/folded-texts.ts";
import { type AttributeResource, attributeValues, type DeclaredType } from "../../../db/schema.ts";
import { valueTypeOf } from "../../shared/file-fields.ts";
import { invalidParameter } from "../errors.ts";
import { type Condition, comparisons, maxListedValues, NONE, splitList } from "../lists/fields.ts";
import { readRelativeDay, relativeDayText } from "../relative-days.ts";
import { inSubquery } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { formatDay, isCalendarDate } from "../timestamps.ts";
import { attributePrefix } from "./attributes.ts";
import { readTypes } from "./declared.ts";
import { isFolded, jsonNumber, type Operator, type SentFilter } from "./filters.ts";
import { readFoldedInputs } from "./folded-texts.ts";
import { isAttribute } from "./value-index.ts";

const { rowId } = attributeValues;

/** The attribute of an order. Without a column, no row has it. */
export type OrderAttribute = { name: string; column: "text" | "number" | undefined };

/** The filters, and the name of the order; `today` is the UTC day of relative days, in days since 1970. */
type SentAttributes = { sent: readonly SentFilter[]; orderAttribute: string | undefined; today: number };

/** The conditions and the order by attributes, which depend on the stored types. Throws `invalid_request`. */
export async function readAttributeRequest(
  snapshot: TenantSnapshot,
  of: AttributeResource,
  { sent, orderAttribute, today }: SentAttributes,
): Promise<{ conditions: Condition[]; order: OrderAttribute | undefined }> {
  const ordered = orderAttribute === undefined ? [] : [orderAttribute];
  const names = [...sent.map((filter) => filter.name), ...ordered];
  const types = await readTypes(snapshot, of, names);
  const conditions: Condition[] = [];
  for (const [i, filter] of sent.entries()) {
    const [prefix, type] = [`a${i}`, types.get(filter.name)];
    const inputs = await readInputs(snapshot, of, { prefix, filter, type, today });
    conditions.push(conditionOf(of, prefix, { filter, type, inputs }));
  }
  if (orderAttribute === undefined) return { conditions, order: undefined };
  return { conditions, order: { name: orderAttribute, column: columnOf(types.get(orderAttribute)) } };
}

function columnOf(type: DeclaredType | undefined): "text" | "number" | undefined {
  return type && (valueTypeOf(type) === "string" ? "text" : "number");
}

function operatorsOf({ values }: SentFilter): Operator[] {
  // Safe: the keys of the values.
  return Object.keys(values) as Operator[];
}

type TypedFilter = { filter: SentFilter; type: DeclaredType | undefined };

/** The inputs of all operators of a filter. Throws `invalid_request`. */
async function readInputs(
  snapshot: TenantSnapshot,
  of: AttributeResource,
  { prefix, filter, type, today }: TypedFilter & { prefix: string; today: number },
): Promise<Values> {
  const inputs: Record<string, Value> = {};
  if (filter.values.equal === NONE) return inputs;
  for (const operator of operatorsOf(filter)) {
    const [input, sent] = [`${prefix}_${operator}`, filter.values[operator] ?? ""];
    if (!isFolded(operator) || columnOf(type) !== "text" || (type === "date" && operator === "ieq"))
      inputs[input] = inputOf({ filter, type }, operator, today);
    else
      Object.assign(
        inputs,
        await readFoldedInputs(snapshot, of, { name: filter.name, operator, sent, input }),
      );
  }
  return inputs;
}

/** Rows whose value matches every operator; `none` matches the rows without the attribute. */
function conditionOf(
  of: AttributeResource,
  prefix: string,
  { filter, type, inputs }: TypedFilter & { inputs: Values },
): Condition {
  const operators = operatorsOf(filter);
  const isNone = filter.values.equal === NONE;
  const column = columnOf(type);
  if (isNone ? operators.length > 1 : column === undefined)
    return { shape: `${prefix} nothing`, values: {}, use: "other", sql: () => sql`1 = 0` };
  const found = (key: Column, column: "text" | "number", where?: SQL) =>
    inSubquery({
      from: attributeValues,
      key: rowId,
      where: and(isAttribute(of, column, prefix), where),
      column: key,
    });
  const condition = {
    values: { ...inputs, [`${prefix}Name`]: filter.name },
    use: "other",
    isOnKey: true,
  } as const;
  if (column === undefined || isNone)
    return {
      ...condition,
      shape: `${prefix} ${NONE}`,
      // While texts are converted, the values are in both columns.
      sql: (key) => and(not(found(key, "text")), not(found(key, "number"))),
    };
  const value = attributeValues[column];
  const compared = (operator: Operator) => {
    const input = `${prefix}_${operator}`;
    if (operator === "in") return isInJson(value, textInput(input));
    if (!isFolded(operator)) return compare(value, comparisons[operator], input);
    return isFoldedMatch(value, operator, { folded: textInput(input), others: textInput(`${input}Others`) });
  };
  return {
    ...condition,
    shape: `${prefix} ${column} ${operators}`,
    sql: (key) => {
      const isAmong = found(key, column, and(...operators.map(compared)));
      // Without statistics, PostgreSQL would compare all texts again for each row of the list.
      return operators.some(isFolded) ? withoutPostgresIndex(isAmong) : isAmong;
    },
  };
}

/** The input of an operator. Throws `invalid_request` for a text that is no value of the type. */
function inputOf({ filter: { name, values }, type }: TypedFilter, operator: Operator, today: number): Value {
  const parameter = `${attributePrefix}${name}${operator === "equal" ? "" : `.${operator}`}`;
  const read = (text: string) => {
    if (type === undefined || type === "string") return text;
    if (isFolded(operator))
      throw invalidParameter(parameter, "not_allowed", "can be used with an attribute of texts only");
    if (type === "date") {
      const day = readRelativeDay(text, today);
      const date = day === undefined ? text : formatDay(day);
      if (isCalendarDate(date)) return date;
      throw invalidParameter(
        parameter,
        "invalid_date",
        `must be a date such as 2026-01-02, or ${relativeDayText}`,
      );
    }
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
