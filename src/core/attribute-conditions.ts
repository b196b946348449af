import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import type { Value } from "../../db/engine.ts";
import { allOf, type Column, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { isAtLeast, isAtMost, isListed, isListedOrUnfiltered } from "../../db/filters.ts";
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
  const inputs: Record<string, Value> = {};
  const slots = slotsOf(attributesCondition(filters.length)) ?? 0;
  for (let slot = 0; slot < slots; slot++) {
    const filter = filters[slot];
    const { isNone, column, list } = filter ?? { isNone: false, column: "text", list: [] };
    const isText = column === "text";
    Object.assign(inputs, {
      [`a${slot}Name`]: filter?.name ?? null,
      [`a${slot}IsNone`]: isNone ? 1 : 0,
      [`a${slot}Low`]: filter?.low ?? null,
      [`a${slot}High`]: filter?.high ?? null,
      [`a${slot}TextLow`]: filter?.textLow ?? null,
      [`a${slot}TextHigh`]: filter?.textHigh ?? null,
      [`a${slot}TextAbove`]: filter?.textAbove ?? null,
      [`a${slot}TextBelow`]: filter?.textBelow ?? null,
      [`a${slot}Texts`]: JSON.stringify(isText ? list : []),
      [`a${slot}Numbers`]: JSON.stringify(isText ? [] : list),
    });
  }
  return inputs;
}

function isOptional(value: Column, operator: "<" | ">", inputName: string): SQL {
  return sql`(${textInput(inputName)} is null or ${value} ${sql.raw(operator)} ${textInput(inputName)})`;
}

const isInNumberRange = (slot: string) =>
  allOf(
    isAtLeast(number, "double precision", `${slot}Low`),
    isAtMost(number, "double precision", `${slot}High`),
  );
const isInTextRange = (slot: string) =>
  allOf(
    isAtLeast(text, "text", `${slot}TextLow`),
    isAtMost(text, "text", `${slot}TextHigh`),
    isOptional(text, ">", `${slot}TextAbove`),
    isOptional(text, "<", `${slot}TextBelow`),
  );

/** The condition of one filter on the row with the id `key`. No index of values is used. */
function slotCondition(of: AttributeResource, key: Column, slot: string): SQL {
  const isOfRow = allOf(
    sql`${resource} = ${sql.raw(`'${of}'`)}`,
    eq(rowId, key),
    eq(name, textInput(`${slot}Name`)),
  );
  const matches = allOf(
    isOfRow,
    sql`(${number} is null or (${isInNumberRange(slot)}))`,
    sql`(${text} is null or (${isInTextRange(slot)}))`,
    isListedOrUnfiltered(text, "text", `${slot}Texts`),
    isListedOrUnfiltered(number, "double precision", `${slot}Numbers`),
  );
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

/** The statements that find the matches of the first filter, from an index alone. */
export const matchingStatements = {
  text: statementsOf("text", isInTextRange("a0")),
  number: statementsOf("number", isInNumberRange("a0")),
  textList: statementsOf("text", allOf(isListed(text, "text", "a0Texts"), isInTextRange("a0")), "List"),
  numberList: statementsOf(
    "number",
    allOf(isListed(number, "double precision", "a0Numbers"), isInNumberRange("a0")),
    "List",
  ),
};

function statementsOf(column: "text" | "number", condition: SQL, suffix = "") {
  const where = allOf(isOfAttribute, hasValue[column], condition);
  const plan = { from: attributeValues, where };
  const ids = select(`attributeValues.matching.${column}${suffix}`, {
    ...plan,
    fields: { rowId },
    orderBy: [asc(attributeValues[column]), asc(rowId)],
    paged: true,
  });
  const total = select(`attributeValues.count.${column}${suffix}`, {
    ...plan,
    fields: { count: count() },
    scanned: ids.statement,
    isIndexOnly: true,
    sliceBy: {
      where: [isOfAttribute, hasValue[column]],
      by: [attributeValues[column], rowId],
      bounds: condition,
    },
  });
  return { ids, total };
}
