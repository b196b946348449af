import type { Value } from "../../../db/engine.ts";
import { parseTimestamp } from "../timestamps.ts";
import {
  isRange,
  type ListedField,
  type ListField,
  type ListFields,
  NO_TIMESTAMP,
  NONE,
  type RangeField,
  rangeOperators,
} from "./fields.ts";

/** The last millisecond of the year 9999. */
const lastTimestamp = 253_402_300_799_999;

export type FieldFilters = {
  /** The names of the fields that the query filters by. */
  selected: readonly string[];
  /** The selected fields of which only a range is selected. */
  ranges: readonly string[];
  /** The inputs of `conditionOfAll`. */
  inputs: Readonly<Record<string, Value>>;
};

/** The filters of a query without a parameter of these fields. */
const unfiltered = new WeakMap<ListFields, FieldFilters>();

/**
 * Reads the filters of a query that was validated. `isFilter` returns whether another filter reads the single values of
 * the name.
 */
export function readFields(
  fields: ListFields,
  query: Readonly<Record<string, unknown>>,
  isFilter: (name: string) => boolean,
): FieldFilters {
  const sent = sentFields(fields, query);
  const none = unfiltered.get(fields) ?? readAll(fields, Object.keys(fields), {}, isFilter);
  unfiltered.set(fields, none);
  if (sent.size === 0) return none;
  // In the order of the fields: the names of conditions, and with them the statements, depend on it.
  const names = Object.keys(fields).filter((name) => sent.has(name));
  const { selected, ranges, inputs } = readAll(fields, names, query, isFilter);
  return selected.length === 0 ? none : { selected, ranges, inputs: { ...none.inputs, ...inputs } };
}

/** The names of the fields that a parameter names, with or without an operator. */
function sentFields(fields: ListFields, query: Readonly<Record<string, unknown>>): Set<string> {
  const names = new Set<string>();
  for (const parameter in query) {
    const bracket = parameter.indexOf("[");
    const name = bracket === -1 ? parameter : parameter.slice(0, bracket);
    if (Object.hasOwn(fields, name)) names.add(name);
  }
  return names;
}

function readAll(
  fields: ListFields,
  names: readonly string[],
  query: Readonly<Record<string, unknown>>,
  isFilter: (name: string) => boolean,
): FieldFilters {
  const selected: string[] = [];
  const ranges: string[] = [];
  const inputs: Record<string, Value> = {};
  for (const name of names) {
    const field = fields[name];
    if (!field) continue;
    const sent = (operator?: string) => {
      const text = query[operator ? `${name}[${operator}]` : name];
      return typeof text === "string" ? text : undefined;
    };
    if (isRange(field)) {
      const { low, high, list, isSelected } = readRange(field, sent);
      Object.assign(inputs, { [`${name}Low`]: low, [`${name}High`]: high });
      inputs[`${name}List`] = JSON.stringify(list);
      if (isSelected) selected.push(name);
      if (isSelected && list.length === 0) ranges.push(name);
    } else {
      const list = readList(field, sent, isFilter(name));
      inputs[`${name}List`] = JSON.stringify(list);
      if (list.length > 0) selected.push(name);
    }
  }
  return { selected, ranges, inputs };
}

type Sent = (operator?: string) => string | undefined;

function readRange(field: RangeField, sent: Sent) {
  const missing = field.isNullable ? NO_TIMESTAMP : field.none;
  const extreme = field.kind === "number" ? Number.MAX_VALUE : Number.MAX_SAFE_INTEGER;
  const all = { low: -extreme, high: extreme, list: [] as number[], isSelected: false };
  const equal = sent();
  const operators = rangeOperators.filter((operator) => sent(operator) !== undefined);
  const listed = sent("in");
  if (equal === undefined && listed === undefined && operators.length === 0) return all;
  const range = { ...all, isSelected: true, high: field.kind === "timestamp" ? lastTimestamp : extreme };
  if (field.maximum !== undefined) range.high = field.maximum;
  const narrow = (low: number, high: number) => {
    range.low = Math.max(range.low, low);
    range.high = Math.min(range.high, high);
  };
  const next = (value: number) => (field.kind === "number" ? nextNumber(value) : value + 1);
  for (const operator of operators) {
    const value = parse(field, sent(operator) ?? "");
    if (operator === "gte") narrow(value, range.high);
    else if (operator === "lte") narrow(range.low, value);
    else if (operator === "gt") narrow(next(value), range.high);
    else narrow(range.low, -next(-value));
  }
  if (listed !== undefined) range.list = splitList(listed).map((item) => parse(field, item));
  if (equal === NONE && missing !== undefined) {
    // Together with another operator nothing matches.
    const isAlone = operators.length === 0 && listed === undefined;
    return { ...range, low: missing, high: isAlone ? missing : -missing };
  }
  if (equal !== undefined) narrow(parse(field, equal), parse(field, equal));
  return range;
}

function readList(field: ListedField, sent: Sent, isFilter: boolean): string[] {
  const [text, listed] = [sent(), sent("in")];
  const isOther = text !== undefined && !(isFilter && isSingleValue(field, text));
  if (listed === undefined && !isOther) return [];
  // A row without a value is in no list.
  if (listed !== undefined && isOther) return [NONE];
  const items = listed === undefined && field.kind === "text" ? [NONE] : splitList(listed ?? text ?? "");
  return [...new Set(items)].map((item) => {
    if (item === NONE && listed === undefined && field.none !== undefined) return field.none;
    return field.fold ? field.fold(item) : item;
  });
}

/** Whether the bare parameter has one value, and not `none`. */
export function isSingleValue(field: ListField, text: string): boolean {
  if (text === NONE && field.none !== undefined) return false;
  return field.kind === "text" || !text.includes(",");
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

/** The least number that is greater. */
export function nextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}
