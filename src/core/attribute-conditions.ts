import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import type { Value } from "../../db/engine.ts";
import { allOf, type Column, compare, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { isListed, isListedOrUnfiltered } from "../../db/filters.ts";
import { type AttributeResource, attributeValues } from "../../db/schema.ts";
import type { AttributeFilter } from "./attribute-filters.ts";
import { existsIn, select } from "./tenant-statements.ts";

const { resource, rowId, name, text, number } = attributeValues;

/** The name of the condition that the id of a row is in the input `attributeIds`: few ids. */
export const ATTRIBUTE_IDS = "attributeIds";
/** Numbers of filters by attributes that statements have: few, because callers choose how many they send. */
const slotCounts = [1, 3, 10] as const;
const slotName = (slots: number) => `attributes:${slots}`;

/** The name of the condition of so many filters. */
export function attributesCondition(filterCount: number): string {
  return slotName(slotCounts.find((slots) => slots >= filterCount) ?? 10);
}

/** The number of filters of a condition with such a name; undefined for other names. */
export function slotsOf(filter: string): number | undefined {
  return slotCounts.find((slots) => slotName(slots) === filter);
}

/** The inputs of filters by attributes. The names of unused filters are null. */
export function attributeInputs(filters: readonly AttributeFilter[]): Record<string, Value> {
  const slots = slotsOf(attributesCondition(filters.length)) ?? 0;
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

/** The condition of one filter on the row with the id `key`. No index of values is used. */
function slotCondition(of: AttributeResource, key: Column, slot: string): SQL {
  const isOfRow = allOf(
    sql`${resource} = ${sql.raw(`'${of}'`)}`,
    eq(rowId, key),
    eq(name, textInput(`${slot}Name`)),
  );
  const matches = allOf(isOfRow, matchesColumn("number", slot), matchesColumn("text", slot));
  const found = existsIn({ from: attributeValues, where: matches });
  const any = existsIn({ from: attributeValues, where: isOfRow });
  return sql`(${textInput(`${slot}Name`)} is null or case when ${integerInput(`${slot}IsNone`)} = 1 then not ${any} else ${found} end)`;
}

/** The conditions of all filters, or that of the ids. Undefined for a name of another condition. */
export function attributeCondition(of: AttributeResource, key: Column, filter: string): SQL | undefined {
  if (filter === ATTRIBUTE_IDS) return isInJson(key, textInput(ATTRIBUTE_IDS));
  const slots = slotsOf(filter);
  return slots === undefined
    ? undefined
    : and(...Array.from({ length: slots }, (_, slot) => slotCondition(of, key, `a${slot}`)));
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
