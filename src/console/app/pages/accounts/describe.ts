import { statusNames } from "../../statuses.ts";
import type { AttributeCondition, Comparison, TierFilter, View } from "./view.ts";
import { changeView } from "./view.ts";

export const tierFilterNames: Readonly<Record<TierFilter, string>> = {
  healthy: "Healthy",
  attention: "Attention",
  at_risk: "At risk",
  critical: "Critical",
  none: "Unscored",
};
export const operatorNames: Readonly<Record<Comparison, string>> = {
  eq: "is",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  in: "is one of",
  none: "is not set",
};

/** A filter in words, and the view without it. The search is left out: its field shows it. */
export type ActiveFilter = { text: string; rest: View };

export function activeFilters(view: View, formatMrr: (value: number) => string): ActiveFilter[] {
  const filters: ActiveFilter[] = [];
  const add = (text: string, without: Partial<View>) =>
    filters.push({ text, rest: changeView(view, without) });
  if (view.statuses.length > 0)
    add(`Status: ${view.statuses.map((status) => statusNames[status]).join(", ")}`, { statuses: [] });
  if (view.tiers.length > 0)
    add(`Tier: ${view.tiers.map((tier) => tierFilterNames[tier]).join(", ")}`, { tiers: [] });
  if (view.mrrFrom !== undefined || view.mrrTo !== undefined)
    add(`MRR: ${rangeText(view, formatMrr)}`, { mrrFrom: undefined, mrrTo: undefined });
  if (view.lastContact) add(`Last contact: ${lastContactText(view.lastContact)}`, { lastContact: undefined });
  for (const filter of view.attributes)
    add(attributeText(filter), { attributes: view.attributes.filter((other) => other !== filter) });
  return filters;
}

function rangeText({ mrrFrom, mrrTo }: View, formatMrr: (value: number) => string): string {
  if (mrrFrom === undefined) return `up to ${formatMrr(mrrTo ?? 0)}`;
  if (mrrTo === undefined) return `from ${formatMrr(mrrFrom)}`;
  return `${formatMrr(mrrFrom)} to ${formatMrr(mrrTo)}`;
}

function lastContactText(filter: NonNullable<View["lastContact"]>): string {
  if (filter.kind === "never") return "never";
  return filter.kind === "over"
    ? `more than ${daysText(filter.days)} ago`
    : `within ${daysText(filter.days)}`;
}

function daysText(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}

function attributeText({ name, operator, value }: AttributeCondition): string {
  return operator === "none" ? `${name} is not set` : `${name} ${operatorNames[operator]} ${value}`;
}
