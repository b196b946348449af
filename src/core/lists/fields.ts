import { eq, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import {
  allOf,
  type Column,
  compare,
  contains,
  integerInput,
  isInJson,
  textInput,
} from "../../../db/expressions.ts";
import type { ResourceField, ResourceFields } from "../../shared/fields/field.ts";
import { isRelativeDay, parseTimestampOrDay } from "../relative-days.ts";

/** A condition of a request. Two conditions of a list with one shape differ in their values only. */
export type Condition = {
  shape: string;
  values: Values;
  /** On the table of the list, where `key` is the key of its rows, or the column of another table with this key. */
  sql: (key: Column) => SQL | undefined;
  /**
   * `unique`: each value matches at most one row. `narrow`: few rows match, and their index is used in every order.
   * `inOrder`: the index of every order has the column. `partial`: a partial index in every order has the condition.
   */
  use: "unique" | "narrow" | "inOrder" | "partial" | "search" | "other";
  /** The order of the index of a narrow condition, or of the index with the columns of a search. */
  order?: Column | undefined;
  /** Whether `sql` refers to `key` only. */
  isOnKey?: boolean;
  /** The column of a range, whose index can be read in its order. */
  rangeOf?: Column;
  /** The filter with these values. */
  filter?: string;
  listed?: readonly string[];
  /** Whether the values depend on the present day. */
  isOfDay?: boolean;
};

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
  values?: readonly string[];
  /** Folds the values of a filter as the column is folded. Throws a Problem for a value that no row can have. */
  fold?: (text: string, parameter: string) => string;
  /** The condition of one value, the input of the field's name. Default: equality with the column. */
  equal?: SQL;
  /** What one value is, see `Condition`. `unique`, `inOrder`: several values are it, too. */
  use?: "unique" | "narrow" | "inOrder";
  /** Partial indexes in every order begin with this field. SQLite uses them if the query has their condition. */
  partial?: { unlessValue: string; condition: SQL };
};
export type ListField = RangeField | ListedField;
/** The filter by a list of keys, `id.in`. */
type IdFilter = { kind: "id"; column: Column };
/** The filter by the account of a row. `order`: the column in whose order the index of the account is. */
type AccountFilter = { kind: "account"; column: Column; order?: Column };
/** The filter by a substring of columns, each with how it is folded. The index of the order by the first has all of them. */
type SearchFilter = { kind: "search"; columns: readonly [Searched, ...Searched[]] };
type Searched = readonly [column: Column, fold: (text: string) => string];
export type ListFilter = ListField | IdFilter | AccountFilter | SearchFilter;
/** The filters of a list by their parameters. Fields have operators. */
export type ListFilters = Readonly<Record<string, ListFilter>>;

export const rangeOperators = ["gt", "gte", "lt", "lte"] as const;
/** The operators of SQL. */
export const comparisons = { equal: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;
export const NONE = "none";
export const maxListedValues = 100;

export function isRange(field: ListFilter): field is RangeField {
  return field.kind === "number" || field.kind === "integer" || field.kind === "timestamp";
}

/** Whether `none` finds the rows without a value. */
export function hasNone(field: ListField): boolean {
  return field.isNullable === true || (isRange(field) && field.none !== undefined);
}

/** The parameter `name` or `name.operator` of a query that was validated, on a day. */
type SentParameter = { name: string; operator: string; text: string; today: number };

export function filterConditions(filter: ListFilter, parameter: SentParameter): Condition[] {
  if (isRange(filter)) return rangeConditions(filter, parameter);
  const { name, operator, text } = parameter;
  if (filter.kind === "search") return text === "" ? [] : [searchCondition(name, filter, text)];
  if (filter.kind === "id") {
    const sql = () => isInJson(filter.column, textInput(name));
    const ids = [...new Set(splitList(text).map(Number))];
    return [{ shape: name, values: { [name]: JSON.stringify(ids) }, sql, use: "unique" }];
  }
  if (filter.kind !== "account") return [listCondition(name, operator, filter, text)];
  const sql = () => eq(filter.column, integerInput(name));
  return [{ shape: name, values: { [name]: text }, sql, use: "narrow", order: filter.order }];
}

function searchCondition(name: string, { columns }: SearchFilter, text: string): Condition {
  const values = Object.fromEntries(columns.map(([, fold], i) => [`${name}${i}`, fold(text)]));
  const sql = () => or(...columns.map(([column], i) => contains(column, textInput(`${name}${i}`))));
  return { shape: name, values, sql, use: "search", order: columns[0][0] };
}

function rangeConditions(field: RangeField, { name, operator, text, today }: SentParameter): Condition[] {
  const { column, none } = field;
  const input = `${name}_${operator}`;
  const other = (shape: string, condition: () => SQL, values = {}): Condition => ({
    ...{ shape: `${name} ${shape}`, values, sql: condition, use: "other", rangeOf: column },
    isOfDay: field.kind === "timestamp" && splitList(text).some(isRelativeDay),
  });
  if (text === NONE && hasNone(field))
    return [other(NONE, () => (none === undefined ? isNull(column) : eq(column, sql.raw(String(none)))))];
  // Rows without a value are in no range.
  const bound = none === undefined ? [] : [other("any", () => lt(column, sql.raw(String(none))))];
  if (operator === "in") {
    const values = { [input]: JSON.stringify(splitList(text).map((item) => parse(field, item, today))) };
    const { rangeOf: _, ...listed } = other("in", () => isInJson(column, textInput(input)), values);
    return [listed, ...bound];
  }
  // Safe: the schema of the query allows these operators only.
  const symbol = comparisons[operator as keyof typeof comparisons];
  return [
    other(operator, () => compare(column, symbol, input), { [input]: parse(field, text, today) }),
    ...bound,
  ];
}

function listCondition(name: string, operator: string, field: ListedField, text: string): Condition {
  const { kind, column, use = "other", partial } = field;
  const parameter = operator === "in" ? `${name}.in` : name;
  const fold = (item: string) => field.fold?.(item, parameter) ?? item;
  if (kind === "boolean")
    return {
      ...{ shape: `${name} ${text}`, values: {}, use: "other" },
      sql: () => (text === "true" ? isNotNull(column) : isNull(column)),
    };
  const listed = [...new Set(kind === "text" && operator !== "in" ? [text] : splitList(text))];
  const isNone = operator !== "in" && hasNone(field) && listed.includes(NONE);
  if (operator !== "in" && listed.length === 1 && !isNone) {
    // In a function: an expression is built once for each shape, not for each request.
    const equal = () => field.equal ?? sql`${column} = ${textInput(name)}`;
    const [value = ""] = listed;
    const single = { values: { [name]: fold(value) }, filter: name, listed };
    return partial && value !== partial.unlessValue
      ? { ...single, shape: `${name} partial`, use: "partial", sql: () => allOf(partial.condition, equal()) }
      : { ...single, shape: name, use, sql: equal };
  }
  const values = listed.filter((item) => !isNone || item !== NONE).map(fold);
  const input = `${name}_${operator}`;
  const isListed = () => isInJson(column, textInput(input));
  return {
    ...{
      shape: `${name} ${operator}${isNone ? ` ${NONE}` : ""}`,
      values: { [input]: JSON.stringify(values) },
    },
    ...{ use: use === "narrow" ? "other" : use, filter: name, listed },
    sql: () => (isNone ? or(isNull(column), isListed()) : isListed()),
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

function parse({ kind }: RangeField, text: string, today: number): number {
  return kind === "timestamp" ? (parseTimestampOrDay(text, today) ?? 0) : Number(text);
}

export function externalIdFilters(externalId: Column): ListFilters {
  return {
    externalId: { kind: "text", column: externalId, use: "unique" },
    hasExternalId: { kind: "boolean", column: externalId },
  };
}

type NameWith<F extends ResourceFields, Flag extends string> = {
  [K in keyof F & string]: F[K] extends { [Name in Flag]: true } ? K : never;
}[keyof F & string];

/**
 * The orders and filters of a list by the fields of its rows. `own`: what differs from the field or is not read from the
 * column of its name. A text is ordered by its folded column, if there is one.
 */
export function ordersAndFilters<F extends ResourceFields>(
  fields: F,
  table: object,
  own: Readonly<Record<string, Partial<ListField>>> = {},
): {
  sortBy: Record<NameWith<F, "isSortable">, Column>;
  filters: Record<NameWith<F, "isFilterable">, ListField>;
} {
  const columns = table as Readonly<Record<string, Column>>;
  const sortBy: Record<string, Column | SQL | undefined> = {};
  const filters: Record<string, object> = {};
  for (const [name, field] of Object.entries<ResourceField>(fields)) {
    const { kind, values, isNullable = false } = field;
    const filter = { kind, isNullable, ...(values && { values }), column: columns[name], ...own[name] };
    const foldedName = `folded${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    if (field.isSortable) sortBy[name] = columns[foldedName] ?? filter.column;
    if (field.isFilterable) filters[name] = filter;
  }
  // Safe: a test compares the fields with the columns of the table.
  return { sortBy, filters } as never;
}
