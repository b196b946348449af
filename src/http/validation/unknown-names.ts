import { ATTRIBUTES_PARAMETER, attributePrefix } from "../../core/attributes/attributes.ts";
import { closestName } from "../../core/did-you-mean.ts";

/** More names get no suggestion: comparing is quadratic, and a query or body can have thousands of names. */
const maxSuggestions = 5;

/**
 * The detail of a problem with names that an operation does not have: the closest valid names, or all valid names when
 * a name has no close one. The unknown names themselves are the caller's text and are not repeated.
 */
export function describeUnknownNames(
  noun: "query parameter" | "field",
  unknown: readonly string[],
  valid: Iterable<string>,
): string {
  const validNames = [...valid];
  const nearest = unknown.slice(0, maxSuggestions).map((name) => closestNames(name, validNames));
  const suggestions = [...new Set(nearest.flat())];
  const subject = unknown.length === 1 ? `Unknown ${noun}` : `${unknown.length} unknown ${noun}s`;
  const question = suggestions.length > 0 ? `: did you mean ${quote(suggestions)}?` : ".";
  const isAnswered = nearest.length === unknown.length && nearest.every(({ length }) => length > 0);
  return `${subject}${question}${isAnswered ? "" : ` ${listNames(validNames)}${attributesHint(validNames)}`}`;
}

/** The closest valid name; of a field with an operator that it does not have, all valid names with the field. */
function closestNames(name: string, valid: readonly string[]): string[] {
  const [, field, dotted, operator = dotted ?? ""] = filter.exec(name) ?? [];
  if (field === undefined) return [closestField(name, valid) ?? []].flat();
  const closest = closestField(field, new Set(valid.map(fieldOf)));
  if (closest === ATTRIBUTES_PARAMETER && !field.startsWith(attributePrefix)) return [closest];
  const ofField = valid.filter((candidate) => fieldOf(candidate) === closest);
  const operators = ofField.flatMap((candidate) => filter.exec(candidate)?.[2] ?? []);
  const closestOperator = closestName(operator, operators);
  return closestOperator === undefined ? ofField : [`${closest}.${closestOperator}`];
}

/** A name that begins with `attributes` is the name of an attribute. */
function closestField(name: string, valid: Iterable<string>): string | undefined {
  const fields = [...valid];
  const isOfAttribute = /^attributes?(?:\W|$)/i.test(name) && fields.includes(ATTRIBUTES_PARAMETER);
  return isOfAttribute ? ATTRIBUTES_PARAMETER : closestName(name, fields);
}

function attributesHint(valid: readonly string[]): string {
  if (!valid.includes(ATTRIBUTES_PARAMETER)) return "";
  return ` Custom attributes are filtered as \`${ATTRIBUTES_PARAMETER}\`, such as \`attributes.plan=pro\`.`;
}

/** All names; filters with operators are grouped by their operators. */
function listNames(valid: readonly string[]): string {
  const names = new Set(valid.map(fieldOf));
  const fieldsByOperators = Map.groupBy(
    [...names].filter((name) => valid.some((other) => other.startsWith(`${name}.`))),
    (name) =>
      quote(valid.filter((other) => other.startsWith(`${name}.`)).map((other) => other.slice(name.length))),
  );
  const groups = [...fieldsByOperators].map(([operators, fields]) => `${operators} after ${quote(fields)}`);
  const filters = groups.length > 0 ? ` Operators: ${groups.join("; ")}.` : "";
  return `The valid names are ${quote([...names])}.${filters}`;
}

/** A field and its operator: `mrr.gt`, or `mrr[gt]`. */
const filter = /^(attributes\.[^[\].]+|(?!attributes\.)[^[\].]+)(?:\.([^[\].]*)|\[([^[\]]*)\])$/;

function fieldOf(name: string): string {
  return filter.exec(name)?.[1] ?? name;
}

function quote(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
