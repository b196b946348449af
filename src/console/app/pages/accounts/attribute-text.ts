import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { wordsOfName } from "../../../../shared/field-labels.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { labelOf } from "../../editing/members.ts";
import { formatDay, formatNumber } from "../../format.ts";
import { fields, accountFilters as text } from "../../messages/messages.ts";

export type ListedAttribute = components["schemas"]["Attribute"];

export type Comparison = keyof typeof text.operators;
export type AttributeCondition = { name: string; operator: Comparison; value: string };

const dateOperators: Partial<Record<Comparison, string>> = text.dateOperators;

/** The declared label of an attribute, or the words of its name. */
export function labelOfAttribute(name: string, label?: string | null): string {
  return label || wordsOfName(name);
}

/** The name of a field on the screen, or the words of the name of an attribute such as `attributes.renewalDate`. */
export function labelOfMember(name: string): string {
  return name.startsWith(attributePrefix)
    ? labelOfAttribute(name.slice(attributePrefix.length))
    : labelOf(name);
}

/** An operator in words; dates have their own. */
export function operatorText(operator: Comparison, type: ListedAttribute["type"] | undefined): string {
  return (type === "date" && dateOperators[operator]) || text.operators[operator];
}

/** A filter by an attribute in words. `attribute` is undefined until the attributes are known. */
export function describeCondition(
  { name, operator, value }: AttributeCondition,
  attribute: ListedAttribute | undefined,
): string {
  const { type, label } = attribute ?? {};
  const subject = `${labelOfAttribute(name, label)} ${operatorText(operator, type)}`;
  return operator === "none" ? subject : `${subject} ${valueText(value, type)}`;
}

/** A value of an attribute, or of a filter by it, in words. */
export function valueText(value: string, type: ListedAttribute["type"] | undefined): string {
  if (type === "boolean" && (value === "true" || value === "false")) return fields[value];
  if (type === "number") return Number.isFinite(Number(value)) ? formatNumber(Number(value)) : value;
  if (type !== "date") return value;
  const days = /^(-?\d{1,5})d$/.exec(value)?.[1];
  if (days !== undefined)
    return days.startsWith("-") ? text.daysAgo(-Number(days)) : text.daysAhead(Number(days));
  return /^\d{4}-\d\d-\d\d$/.test(value) ? formatDay(value) : value;
}
