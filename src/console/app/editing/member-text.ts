import { attributePrefix } from "../../../shared/file-fields.ts";
import { fieldsOf, resourceNames } from "../../../shared/resources.ts";
import { formatMrr, formatNumber, formatTime } from "../format.ts";
import { attributeTypeNames } from "./attribute-types.ts";
import type { MemberValue } from "./members.ts";

const fieldLabels = resourceNames.flatMap((resource) =>
  Object.entries(fieldsOf(resource)).flatMap(([name, { label }]) =>
    label === undefined ? [] : [[name, label]],
  ),
);
const memberLabels: Readonly<Record<string, string>> = {
  ...Object.fromEntries(fieldLabels),
  accountId: "Account",
  contactName: "Contact name",
  contactEmail: "Contact e-mail",
  scopes: "Scopes",
  expiresAt: "Expires",
  rateLimit: "Requests per minute",
  score: "Score",
  tier: "Tier",
};

/** The name of a member on the screen, or of an attribute. */
export function labelOf(name: string): string {
  if (name.startsWith(attributePrefix)) return name.slice(attributePrefix.length);
  return Object.hasOwn(memberLabels, name) ? (memberLabels[name] ?? name) : name;
}

/** A text of the API with the names that types have on the screen. */
export function withTypeNames(text: string): string {
  return text.replace(/\ba string\b/g, "a text").replace(/\ba boolean\b/g, `"${attributeTypeNames.boolean}"`);
}

/** A value in words: times and numbers in the locale. A text of an attribute stays as it is. */
export function formatMember(name: string, value: MemberValue | undefined): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return name === "mrr" ? formatMrr(value) : formatNumber(value);
  if (value === "") return "empty text";
  return name.endsWith("At") && !name.startsWith(attributePrefix) ? formatTime(value) : value;
}
