import { eq, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { type Column, compare, isInJson, textInput } from "../../../db/expressions.ts";
import type { ResourceField, ResourceFields } from "../../shared/fields/field.ts";
import { parseTimestamp } from "../timestamps.ts";
import type { Condition } from "./condition.ts";

/** A field that is compared by the operators `gt`, `gte`, `lt`, `lte`, `in` and by equality. */
export type RangeField = {
  kind: "number" | "integer" | "timestamp";
  column: Column;
  isNullable?: boolean;
  /** For a column that is not null: the value of rows without one, greater than any value. */
  none?: number;
};
/** A field that is one of a list of texts. */
export type ListedField = {
  kind: "text" | "choice" | "boolean";
  /** Of a boolean: the column that is null where it is false. */
  column: Column | SQL;
  isNullable?: boolean;
  /** The values of a choice. */
  values?: readonly string[];
  /** Folds the values of a filter as the column is folded. */
  fold?: (text: string) => string;
  isUnique?: boolean;
};
export type ListField = RangeField | ListedField;
export type ListFields = Readonly<Record<string, ListField>>;

export const rangeOperators = ["gt", "gte", "lt", "lte"] as const;
/** The operators of SQL. */
export const comparisons = { equal: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
export const NONE = "none";
/** At most this many values in a list. */
export const maxListedValues = 100;

export function isRange(field: ListField): field is RangeField {
  return field.kind === "number" || field.kind === "integer" || field.kind === "timestamp";
}

/** Whether `none` finds the rows without a value. */
export function hasNone(field: ListField): boolean {
  return field.isNullable === true || (isRange(field) && field.none !== undefined);
}

/** Whether the bare parameter has one value, and not `none`. */
export function isSingleValue(field: ListField, text: string): boolean {
  if (text === NONE && hasNone(field)) return false;
  return field.kind === "text" || !text.includes(",");
}

/** The conditions of the parameter `name` or `name[operator]` of a query that was validated. */
export function fieldConditions(name: string, operator: string, field: ListField, text: string): Condition[] {
  return isRange(field)
    ? rangeConditions(name, operator, field, text)
    : [listCondition(name, operator, field, text)];
}

function rangeConditions(name: string, operator: string, field: RangeField, text: string): Condition[] {
  const { column, none } = field;
  const input = `${name}_${operator}`;
  const other = (shape: string, condition: () => SQL, values = {}): Condition => ({
    ...{ shape: `${name} ${shape}`, values, sql: condition, use: "other", rangeOf: column },
  });
  if (text === NONE && hasNone(field))
    return [other(NONE, () => (none === undefined ? isNull(column) : eq(column, sql.raw(String(none)))))];
  // Rows without a value are in no range.
  const bound = none === undefined ? [] : [other("any", () => lt(column, sql.raw(String(none))))];
  if (operator === "in") {
    const values = { [input]: JSON.stringify(splitList(text).map((item) => parse(field, item))) };
    const { rangeOf: _, ...listed } = other("in", () => isInJson(column, textInput(input)), values);
    return [listed, ...bound];
  }
  // Safe: the schema of the query allows these operators only.
  const symbol = comparisons[operator as keyof typeof comparisons];
  return [other(operator, () => compare(column, symbol, input), { [input]: parse(field, text) }), ...bound];
}

function listCondition(name: string, operator: string, field: ListedField, text: string): Condition {
  const { kind, column, fold, isUnique } = field;
  const use = isUnique ? "unique" : "other";
  if (kind === "boolean")
    return {
      ...{ shape: `${name} ${text}`, values: {}, use: "other" },
      sql: () => (text === "true" ? isNotNull(column) : isNull(column)),
    };
  const items = [...new Set(kind === "text" && operator !== "in" ? [text] : splitList(text))];
  const isNone = operator !== "in" && hasNone(field) && items.includes(NONE);
  const values = items.filter((item) => !isNone || item !== NONE).map((item) => fold?.(item) ?? item);
  const input = `${name}_${operator}`;
  const isListed = () => isInJson(column, textInput(input));
  const condition = () => (isNone ? or(isNull(column), isListed()) : isListed());
  const shape = `${name} ${operator}${isNone ? ` ${NONE}` : ""}`;
  return {
    ...{ shape, use, values: { [input]: JSON.stringify(values) }, filter: name, listed: items },
    sql: condition,
  };
}

/** The values of a comma list; `\,` is a comma in a value, and `\\` a backslash. */
export function splitList(text: string): string[] {
  const items = [""];
  for (const [part] of text.matchAll(/\\[\\,]|,|[^\\,]+|\\/g))
    if (part === ",") items.push("");
    else items[items.length - 1] += part.length === 2 && part.startsWith("\\") ? part.charAt(1) : part;
  return items;
}

function parse({ kind }: RangeField, text: string): number {
  return kind === "timestamp" ? (parseTimestamp(text) ?? 0) : Number(text);
}

/** The filters of a list of rows with an external id. */
export function externalIdFields(externalId: Column): ListFields {
  return {
    externalId: { kind: "text", column: externalId, isUnique: true },
    hasExternalId: { kind: "boolean", column: externalId },
  };
}

type SortableName<F extends ResourceFields> = {
  [K in keyof F & string]: F[K] extends { isSortable: true } ? K : never;
}[keyof F & string];

/**
 * The orders and filters of a list by the fields of its rows. `own`: what is not read from the column of the field's name.
 * A text is ordered by its folded column, if there is one.
 */
export function ordersAndFilters<F extends ResourceFields>(
  fields: F,
  table: object,
  own: ListFields = {},
): { sortBy: Record<SortableName<F>, Column>; filterFields: ListFields } {
  const columns = table as Readonly<Record<string, Column>>;
  const columnOf = (name: string) => own[name]?.column ?? columns[name];
  const sortable = Object.keys(fields).filter((name) => fields[name]?.isSortable);
  const filterable = Object.entries(fields).filter(([, { isFilterable }]) => isFilterable);
  // Safe: a test compares the fields with the columns of the table.
  return {
    sortBy: Object.fromEntries(sortable.map((name) => [name, columns[foldedName(name)] ?? columnOf(name)])),
    filterFields: Object.fromEntries(
      filterable.map(([name, field]) => [name, own[name] ?? { ...shapeOf(field), column: columns[name] }]),
    ),
  } as { sortBy: Record<SortableName<F>, Column>; filterFields: ListFields };
}

function foldedName(name: string): string {
  return `folded${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function shapeOf({ kind, values, isNullable = false }: ResourceField) {
  return { kind, isNullable, ...(values && { values }) };
}
