import { type TProperties, type TUnsafe, Type } from "@sinclair/typebox";
import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { type AttributeOrder, attributeOrderPattern } from "../../core/attributes/filters.ts";
import type { ListSchema } from "../../core/lists/definition.ts";
import {
  hasNone,
  isRange,
  type ListedField,
  type ListField,
  type ListFilters,
  maxListedValues,
  NONE,
  type RangeField,
  rangeOperators,
} from "../../core/lists/fields.ts";
import type { Constraints } from "./constraints.ts";
import { choice, parameter } from "./shapes.ts";

/** The filters by attributes. Their values depend on the types of the attributes, and are validated with these. */
export const attributeParameters: TProperties = {
  [ATTRIBUTES_PARAMETER]: Type.Optional(
    parameter({
      type: "string",
      description:
        "Filters by at most 10 attributes: `attributes.plan=pro`, `attributes.seats.gt=5` (also `gte`, `lt`, `lte`), `attributes.plan.in=pro,team`, `attributes.owner.contains=ann` (also `ieq`: equal) without regard to case; `none`: rows without the attribute",
    }),
  ),
};

const description = "Sort column; ties are ordered by id";

/** The order of a list: by a column or, where rows have attributes, by an attribute. */
export function orderParameter<Sort extends string>({
  sortBy,
  defaultOrder: [first],
  attributes,
}: ListSchema<Sort>): TUnsafe<Sort | AttributeOrder> {
  // Safe: the names of the sort columns.
  const sortColumns = Object.keys(sortBy) as Sort[];
  if (!attributes) return choice(sortColumns, { default: first, description });
  // Safe: the constraints accept these texts.
  return Type.Unsafe<Sort | AttributeOrder>(
    parameter({
      type: "string",
      anyOf: [
        { type: "string", enum: sortColumns },
        { type: "string", pattern: attributeOrderPattern, examples: [ATTRIBUTES_PARAMETER] },
      ],
      default: first,
      description: `${description}. \`${ATTRIBUTES_PARAMETER}\`: rows without the attribute are last in ascending order`,
    }),
  );
}

const descriptions = {
  gt: "Greater than this",
  gte: "At least this",
  lt: "Less than this",
  lte: "At most this",
} satisfies Record<(typeof rangeOperators)[number], string>;

const text: Constraints = { type: "string", minLength: 1, maxLength: 255 };

/** The query parameters of the fields of a list: `mrr`, `mrr.gt` and so on. `described`: filters with their own. */
export function fieldParameters(filters: ListFilters, described: readonly string[]): TProperties {
  const properties: TProperties = {};
  for (const [name, field] of Object.entries(filters)) {
    if (field.kind === "account" || field.kind === "search") continue;
    if (field.kind === "id") {
      properties[`${name}.in`] = Type.Optional(parameter(listOfValues(idConstraints)));
      continue;
    }
    Object.assign(properties, isRange(field) ? rangeParameters(name, field) : listParameters(name, field));
    if (!isRange(field) && field.kind === "text" && !described.includes(name))
      properties[name] = Type.Optional(
        parameter({ ...text, description: `Equal to this, compared byte for byte${noneText(field)}` }),
      );
  }
  return properties;
}

function rangeParameters(name: string, field: RangeField): TProperties {
  const value = valueConstraints(field);
  // A schema with an id has no other constraints.
  const { $id: _, ...ownValue } = value;
  const optional = (constraints: Constraints) => Type.Optional(parameter(constraints));
  const properties: TProperties = {
    [name]: optional({
      ...(hasNone(field) ? { ...ownValue, hasNone: true } : value),
      description: `Equal to this${noneText(field)}`,
    }),
  };
  for (const operator of rangeOperators)
    properties[`${name}.${operator}`] = optional({ ...value, description: descriptions[operator] });
  properties[`${name}.in`] = optional(listOfValues(value));
  return properties;
}

function listParameters(name: string, field: ListedField): TProperties {
  if (field.kind === "boolean")
    return {
      [name]: Type.Optional(
        parameter({ type: "boolean", description: "Whether the rows have an externalId" }),
      ),
    };
  if (field.kind === "text") return { [`${name}.in`]: Type.Optional(parameter(listOfValues(text))) };
  const words = [...(field.values ?? []), ...(hasNone(field) ? [NONE] : [])];
  const description = `One of these values, separated by commas${noneText(field)}`;
  const items: Constraints = { type: "string", enum: words };
  return {
    [name]: Type.Optional(parameter({ type: "array", items, maxItems: maxListedValues, description })),
  };
}

function noneText(field: ListField): string {
  return hasNone(field) ? `; \`${NONE}\`: rows without one` : "";
}

function listOfValues(items: Constraints): Constraints {
  const comma =
    items.type === "string" && !items.format ? "; `\\,` is a comma in a value, `\\\\` a backslash" : "";
  const description = `One of these values, separated by commas${comma}`;
  return { type: "array", items, maxItems: maxListedValues, description };
}

const idConstraints: Constraints = {
  ...{ type: "number", multipleOf: 1, minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  examples: [42],
};

function valueConstraints({ kind }: RangeField): Constraints {
  if (kind === "timestamp")
    return {
      ...{ $id: "Timestamp", type: "string", format: "iso-8601-or-day" },
      examples: ["2026-01-02T03:04:05.678Z", "today", "-30d"],
    };
  if (kind === "number") return { type: "number", examples: [50] };
  const maximum = Number.MAX_SAFE_INTEGER;
  return { type: "number", multipleOf: 1, minimum: -maximum, maximum, examples: [3] };
}
