import { formatNumber, formatTime } from "../format.ts";
import type { Field } from "./form-values.ts";
import { attributePrefix, type MemberValue } from "./members.ts";

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  title: "Title",
  status: "Status",
  mrr: "MRR",
  externalId: "External id",
  logoUrl: "Logo URL",
  contactActivityAt: "Last contact",
  email: "E-mail",
  startAt: "Start",
  endAt: "End",
  severity: "Severity",
  requestedAt: "Requested",
  resolvedAt: "Resolved",
  accountId: "Account",
  score: "Score",
  tier: "Tier",
};

/** The name of a member on the screen: that of its field, or of the attribute. */
export function labelOf(name: string, fields: readonly Field[] = []): string {
  if (name.startsWith(attributePrefix)) return name.slice(attributePrefix.length);
  return fields.find((field) => field.name === name)?.label ?? labels[name] ?? name;
}

/** A value in words: times and numbers in the locale. A text of an attribute stays as it is. */
export function formatMember(name: string, value: MemberValue | undefined): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return formatNumber(value);
  if (value === "") return "empty text";
  return name.endsWith("At") && !name.startsWith(attributePrefix) ? formatTime(value) : value;
}
