import { and, asc, count, eq, not, type SQL, sql } from "drizzle-orm";
import type { Value } from "../../../db/engine.ts";
import {
  allOf,
  type Column,
  compare,
  integerInput,
  isInJson,
  textInput,
  withoutIndexes,
} from "../../../db/expressions.ts";
import { isListed, isListedOrUnfiltered } from "../../../db/filters.ts";
import { type AttributeResource, attributeValues } from "../../../db/schema.ts";
import { existsIn, select } from "../tenant/statements.ts";
import type { AttributeFilter } from "./filters.ts";

const { resource, rowId, name, text, number } = attributeValues;

/** The name of the condition that the id of a row is in the input `attributeIds`: few ids. */
export const ATTRIBUTE_IDS = "attributeIds";
/** The kinds of the condition of a single filter. */
const valueKinds = ["text", "textList", "number", "numberList"] as const;
const filterKinds = ["none", ...valueKinds] as const;
type FilterKind = (typeof filterKinds)[number];
const kindName = (kind: FilterKind) => `attribute:${kind}`;
/** Numbers of several filters, of any kinds, that a condition has: few, because callers choose how many they send. */
const slotCounts = [3, 10] as const;
const slotName = (slots: number) => `attributes:${slots}`;

/** What a filter that is not `none` compares: a range or a list of texts or of numbers. */
export function valueKindOf({ column, list }: AttributeFilter): (typeof valueKinds)[number] {
  return list.length > 0 ? `${column}List` : column;
}

/** The name of the condition of these filters. Throws for no filter. */
export function attributesCondition(filters: readonly AttributeFilter[]): string {
  const [first] = filters;
  if (!first) throw new Error("a condition has a filter");
  return filters.length === 1
    ? kindName(first.isNone ? "none" : valueKindOf(first))
    : slotName(slotsFor(filters.length));
}

function slotsFor(filterCount: number): number {
  return slotCounts.find((slots) => slots >= filterCount) ?? 10;
}

/** The inputs of filters by attributes. The names of unused filters are null. */
export function attributeInputs(filters: readonly AttributeFilter[]): Record<string, Value> {
  const slots = filters.length > 1 ? slotsFor(filters.length) : filters.length;
  return Object.assign(
    {},
    ...Array.from({ length: slots }, (_, slot) => inputsOf(`a${slot}`, filters[slot])),
  );
}

/** The inputs of one filter, whose names begin with a prefix. */
export function inputsOf(prefix: string, filter: AttributeFilter | undefined): Record<string, Value> {
  const { column, list } = filter ?? { column: "text", list: [] };
  return {
    [`${prefix}Name`]: filter?.name ?? null,
    [`${prefix}IsNone`]: filter?.isNone ? 1 : 0,
    [`${prefix}Low`]: filter?.low ?? null,
    [`${prefix}High`]: filter?.high ?? null,
    [`${prefix}TextLow`]: filter?.textLow ?? null,
    [`${prefix}TextEnd`]: filter?.textEnd ?? null,
    [`${prefix}Texts`]: JSON.stringify(column === "text" ? list : []),
    [`${prefix}Numbers`]: JSON.stringify(column === "text" ? [] : list),
  };
}

/** The condition of a range at one of its ends. */
export function boundOf(column: "text" | "number", prefix: string, end: "low" | "high"): SQL {
  if (column === "text")
    return end === "low" ? compare(text, ">=", `${prefix}TextLow`) : compare(text, "<", `${prefix}TextEnd`);
  return end === "low" ? compare(number, ">=", `${prefix}Low`) : compare(number, "<=", `${prefix}High`);
}

/** The range of a filter, for which an index of values is used. */
export function isInRange(column: "text" | "number", prefix: string): SQL {
  return allOf(boundOf(column, prefix, "low"), boundOf(column, prefix, "high"));
}

/** The list of a filter, for which an index of values is used. */
export function isInList(column: "text" | "number", prefix: string): SQL {
  return column === "text"
    ? isListed(text, "text", `${prefix}Texts`)
    : isListed(number, "double precision", `${prefix}Numbers`);
}

/** The condition of a filter on one column of a row that has the attribute. No index of values is used. */
function matchesColumn(column: "text" | "number", prefix: string): SQL {
  const list =
    column === "text"
      ? isListedOrUnfiltered(text, "text", `${prefix}Texts`)
      : isListedOrUnfiltered(number, "double precision", `${prefix}Numbers`);
  return sql`(${attributeValues[column]} is null or (${isInRange(column, prefix)} and ${list}))`;
}

/** `hasAttribute`: the row with the id `key` has the attribute. `hasMatch`: its value also matches. */
function valueConditions(of: AttributeResource, key: Column, slot: string, ...matches: SQL[]) {
  const isOfRow = allOf(
    sql`${resource} = ${sql.raw(`'${of}'`)}`,
    eq(rowId, key),
    eq(name, textInput(`${slot}Name`)),
  );
  return {
    hasAttribute: existsIn({ from: attributeValues, where: isOfRow }),
    hasMatch: existsIn({ from: attributeValues, where: allOf(isOfRow, ...matches) }),
  };
}

/** The condition of one of several filters; true for an unused slot. No index of values is used. */
function slotCondition(of: AttributeResource, key: Column, slot: string): SQL {
  const matches = [matchesColumn("number", slot), matchesColumn("text", slot)];
  const { hasAttribute, hasMatch } = valueConditions(of, key, slot, ...matches);
  return sql`(${textInput(`${slot}Name`)} is null or case when ${integerInput(`${slot}IsNone`)} = 1 then not ${hasAttribute} else ${hasMatch} end)`;
}

/** The condition of a single filter: faster than `slotCondition`. No index of values is used. */
function kindCondition(of: AttributeResource, key: Column, kind: FilterKind): SQL {
  if (kind === "none") return not(valueConditions(of, key, "a0").hasAttribute);
  const column = kind.startsWith("text") ? "text" : "number";
  const matches = kind === column ? isInRange(column, "a0") : isInList(column, "a0");
  return valueConditions(of, key, "a0", withoutIndexes(matches)).hasMatch;
}

/** Whether a name is that of a condition on attributes. */
export function isAttributeCondition(filter: string): boolean {
  return (
    filter === ATTRIBUTE_IDS ||
    filterKinds.some((kind) => kindName(kind) === filter) ||
    slotCounts.some((slots) => slotName(slots) === filter)
  );
}

/** The conditions of all filters, or the condition of `attributeIds`. Undefined for a name of another condition. */
export function attributeCondition(of: AttributeResource, key: Column, filter: string): SQL | undefined {
  if (filter === ATTRIBUTE_IDS) return isInJson(key, textInput(ATTRIBUTE_IDS));
  const kind = filterKinds.find((candidate) => kindName(candidate) === filter);
  if (kind) return kindCondition(of, key, kind);
  const slots = slotCounts.find((candidate) => slotName(candidate) === filter) ?? 0;
  return and(...Array.from({ length: slots }, (_, slot) => slotCondition(of, key, `a${slot}`)));
}

/** The values of one attribute: those of the input `name`, with an index by value. */
export const isOfAttribute = allOf(eq(resource, textInput("resource")), eq(name, textInput("name")));
/** The condition of an index on one column of values. */
export const hasValue = { text: sql`${text} is not null`, number: sql`${number} is not null` };

/** The statements that find the matches of the filter `a0`, a range or a list, from an index alone. */
export const matchingStatements = {
  text: statementsOf("text", "range"),
  textList: statementsOf("text", "list"),
  number: statementsOf("number", "range"),
  numberList: statementsOf("number", "list"),
};

function statementsOf(column: "text" | "number", kind: "range" | "list") {
  const range = isInRange(column, "a0");
  const condition = kind === "range" ? range : isInList(column, "a0");
  const where = and(isOfAttribute, hasValue[column], condition);
  const suffix = kind === "list" ? "List" : "";
  const ids = select(`attributeValues.matching.${column}${suffix}`, {
    fields: { rowId },
    from: attributeValues,
    where,
    // The index is not in this order for a list: all of its matches would be sorted.
    ...(kind === "range" && { orderBy: [asc(attributeValues[column]), asc(rowId)] }),
    paged: true,
  });
  const total = select(`attributeValues.count.${column}${suffix}`, {
    fields: { count: count() },
    from: attributeValues,
    where,
    scanned: ids.statement,
    isIndexOnly: true,
    isTotal: true,
    sliceBy: {
      where: [isOfAttribute, hasValue[column]],
      by: [attributeValues[column], rowId],
      bounds: range,
      matching: condition,
    },
  });
  return { ids, total };
}
