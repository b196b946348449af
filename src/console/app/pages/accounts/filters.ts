import { accountFields } from "../../../../shared/fields/accounts.ts";
import type { ResourceField, ResourceFields } from "../../../../shared/fields/field.ts";
import { healthTiers } from "../../../../shared/fields/tiers.ts";
import { maxSearchLength } from "../../address.ts";
import { formatMember, labelOf, nameOfTier, valueLabelsOf } from "../../editing/members.ts";
import { formatWholeMrr } from "../../format.ts";
import { accountFilters as text } from "../../messages/messages.ts";

/** The values of filters by their parameters in the address: `status`, `mrr.gte`, `attributes.plan`. */
export type FilterValues = Readonly<Record<string, string>>;

/** A filter of the table by a field, which has its own box. `age`: by the days since a timestamp. */
export type Filter = {
  kind: "choice" | "range" | "age" | "text";
  /** The member of the API. */
  field: string;
  label: string;
  /** The parameters of the address. */
  parameters: readonly string[];
  /** Of a choice: the values and their texts. */
  options: readonly (readonly [value: string, text: string])[];
  isNullable: boolean;
};

const kinds: Partial<Record<ResourceField["kind"], Filter["kind"]>> = {
  choice: "choice",
  number: "range",
  integer: "range",
  timestamp: "age",
  text: "text",
};
/** Parameters that have another name than the field. */
const parameterNames: Readonly<Record<string, string>> = { contactActivityAt: "lastContact" };
const maxDays = 3650;

const fields: ResourceFields = accountFields;
const fieldFilters = Object.entries(fields).flatMap(([name, field]): Filter[] => {
  const kind = kinds[field.kind];
  if (!field.isFilterable || !kind) return [];
  const { values = [], isNullable = false } = field;
  const parameter = parameterNames[name] ?? name;
  const parameters = kind === "range" ? [`${name}.gte`, `${name}.lte`] : [parameter];
  const options = values.map((value) => [value, valueLabelsOf(name)[value] ?? value] as const);
  return [{ kind, field: name, label: labelOf(name), parameters, options, isNullable }];
});
const tierFilter: Filter = {
  kind: "choice",
  field: "tier",
  label: labelOf("tier"),
  parameters: ["tier"],
  options: [...healthTiers, null].map((tier) => [tier ?? "none", nameOfTier(tier)]),
  isNullable: true,
};

/** The values of the status with their names. */
export const statuses = fieldFilters.find(({ field }) => field === "status")?.options ?? [];

const isChoice = ({ kind }: Filter) => kind === "choice";

/** The filters that every organization has, in their order on the screen. */
export const filters: readonly Filter[] = [
  ...fieldFilters.filter(isChoice),
  tierFilter,
  ...fieldFilters.filter((filter) => !isChoice(filter)),
];
const filterOf = new Map(filters.flatMap((filter) => filter.parameters.map((name) => [name, filter])));

/** The filter `parameter` with the valid part of a value; undefined if there is none. */
export function parseFilter(parameter: string, written: string): string | undefined {
  const filter = filterOf.get(parameter);
  if (filter?.kind === "choice") {
    const chosen = written.split(",");
    return filter.options.flatMap(([value]) => (chosen.includes(value) ? value : [])).join(",") || undefined;
  }
  if (filter?.kind === "range") return numberOf(written)?.toString();
  if (filter?.kind === "age")
    return written === "never" && filter.isNullable ? written : ageOf(written) && written;
  return filter && written !== "" && written.length <= maxSearchLength ? written : undefined;
}

/** Whether a filter reads the whole value of its parameter. */
export function isWholeFilter(parameter: string, written: string): boolean {
  const { kind, options = [] } = filterOf.get(parameter) ?? {};
  return kind === "choice"
    ? written.split(",").every((part) => options.some(([value]) => value === part))
    : parseFilter(parameter, written) !== undefined;
}

/** The number of a text; undefined if it has none. */
export function numberOf(written: string | undefined): number | undefined {
  const value = written === undefined || written.trim() === "" ? Number.NaN : Number(written);
  return Number.isFinite(value) ? value : undefined;
}

/** `over`: more than `days` days ago; `within`: at most. */
export function ageOf(written: string | undefined): { kind: "over" | "within"; days: number } | undefined {
  const [, kind, digits] = /^(over|within)-(\d{1,4})$/.exec(written ?? "") ?? [];
  const days = Number(digits);
  return kind === undefined || days > maxDays
    ? undefined
    : { kind: kind === "over" ? "over" : "within", days };
}

/** The parameters of the API. `-30d` is the beginning of the UTC day 30 days ago. */
export function apiFilterOf([parameter, value]: [string, string]): [name: string, value: string] {
  const filter = filterOf.get(parameter);
  if (filter?.kind !== "age") return [parameter, value];
  const age = ageOf(value);
  if (!age) return [filter.field, "none"];
  return [`${filter.field}.${age.kind === "over" ? "lt" : "gte"}`, `-${age.days}d`];
}

/** Why no account can match a range; undefined if one can. */
export function rangeFault(
  { label, parameters: [from = "", to = ""] }: Filter,
  values: Partial<FilterValues>,
) {
  const [least, most] = [numberOf(values[from]), numberOf(values[to])];
  return least !== undefined && most !== undefined && least > most ? text.rangeFault(label) : undefined;
}

/** A filter in words; undefined if it is not in effect. */
export function describeFilter(filter: Filter, values: FilterValues): string | undefined {
  const { kind, label, field, options, parameters } = filter;
  const [first, second] = parameters.map((name) => values[name]);
  if (first === undefined && second === undefined) return undefined;
  if (kind === "choice") {
    const chosen = first?.split(",");
    return `${label}: ${options.flatMap(([value, name]) => (chosen?.includes(value) ? name : [])).join(", ")}`;
  }
  if (kind === "age") return `${label}: ${ageText(first)}`;
  const [from, to] = [first, second].map((value) => value && formatBound(field, value));
  if (kind === "text") return `${label}: ${first}`;
  return `${label}: ${rangeText(from, to)}`;
}

function formatBound(field: string, value: string): string {
  const number = numberOf(value);
  if (field === "mrr" && Number.isInteger(number)) return formatWholeMrr(Number(number));
  return formatMember(field, number ?? value);
}

function rangeText(from = "", to = ""): string {
  if (to === "") return text.effects.from(from);
  return from === "" ? text.effects.to(to) : text.effects.range(from, to);
}

function ageText(value: string | undefined): string {
  const age = ageOf(value);
  return age ? text.effects[age.kind](age.days) : text.effects.never;
}
