/** How a filter compares an attribute, in words. */
export const operatorNames = {
  eq: "is",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  in: "is one of",
  none: "is not set",
} as const;
export type Comparison = keyof typeof operatorNames;
export type AttributeCondition = { name: string; operator: Comparison; value: string };

/** The condition of a parameter of the address and its value; undefined for another parameter. */
export function attributeConditionOf(parameter: string, value: string): AttributeCondition | undefined {
  const [, name, operator] = /^attributes\.([A-Za-z]\w{0,63})(?:\[(gte?|lte?|in)\])?$/.exec(parameter) ?? [];
  if (name === undefined) return undefined;
  if (operator === undefined && value === "none") return { name, operator: "none", value: "" };
  // Safe: the operators of the expression.
  return { name, operator: (operator ?? "eq") as Comparison, value };
}

/** The parameter and its value. The text `none` is found by a list: `=none` finds rows without the attribute. */
export function parameterOf({ name, operator, value }: AttributeCondition): [string, string] {
  const parameter = `attributes.${name}`;
  if (operator === "none") return [parameter, "none"];
  if (operator === "eq" && value !== "none") return [parameter, value];
  return [`${parameter}[${operator === "eq" ? "in" : operator}]`, value];
}

export function describeCondition({ name, operator, value }: AttributeCondition): string {
  return operator === "none" ? `${name} is not set` : `${name} ${operatorNames[operator]} ${value}`;
}
