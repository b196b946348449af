import { closestName } from "../core/did-you-mean.ts";

/** More names get no suggestion: comparing is quadratic, and a query or body can have thousands of names. */
const maxSuggestions = 5;

/**
 * The detail of a problem with names that an operation does not have: the closest valid names, or all valid names when
 * a name has no close one. The unknown names themselves are the caller's text and are not repeated.
 */
export function describeUnknownNames(
  noun: "query parameter" | "member",
  unknown: readonly string[],
  valid: Iterable<string>,
): string {
  const validNames = [...valid];
  const nearest = unknown.slice(0, maxSuggestions).map((name) => closestName(name, validNames));
  const suggestions = [...new Set(nearest)].filter((name) => name !== undefined);
  const subject = unknown.length === 1 ? `Unknown ${noun}` : `${unknown.length} unknown ${noun}s`;
  const question = suggestions.length > 0 ? `: did you mean ${quote(suggestions)}?` : ".";
  const isAnswered = nearest.length === unknown.length && !nearest.includes(undefined);
  return `${subject}${question}${isAnswered ? "" : ` The valid names are ${quote(validNames)}.`}`;
}

function quote(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
