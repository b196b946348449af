import { and, isNull, type SQL, sql } from "drizzle-orm";
import type { Column } from "../../../db/expressions.ts";
import {
  type FilteredType,
  isAtLeast,
  isAtMost,
  isListed,
  isListedOrUnfiltered,
} from "../../../db/filters.ts";

/** A field that is compared by the operators `gt`, `gte`, `lt`, `lte`, `in` and by equality. */
export type RangeField = {
  kind: "number" | "integer" | "timestamp";
  /** An index of the organization's rows by this column can be used, unless `isNullable`. */
  column: Column;
  isNullable?: boolean;
  /** For a column that is not null: the value of rows without one, greater than any value. */
  none?: number;
  maximum?: number;
};
/** A field that is one of a list of texts. */
export type ListedField = {
  kind: "text" | "choice" | "boolean";
  column: Column | SQL;
  /** The values of a choice. */
  values?: readonly string[];
  /** The value of rows without one, which `none` finds. */
  none?: string;
  /** Folds the values of a filter like those of the column. */
  fold?: (text: string) => string;
  /** Whether each value matches at most one row. Their index is used, and the few matches are sorted. */
  isUnique?: boolean;
  /** For a boolean: the column that is null where it is false. An index of this column can be used. */
  falseIfNull?: Column;
};
export type ListField = RangeField | ListedField;
export type ListFields = Readonly<Record<string, ListField>>;
type NamedField<Field> = { name: string; field: Field };

export const rangeOperators = ["gt", "gte", "lt", "lte"] as const;
export const NONE = "none";
/** At most this many values in a list. */
export const maxListedValues = 100;
/** Later than any timestamp: the value of rows without one. */
export const NO_TIMESTAMP = Number.MAX_SAFE_INTEGER;

export function isRange(field: ListField): field is RangeField {
  return field.kind === "number" || field.kind === "integer" || field.kind === "timestamp";
}

function typeOf({ kind }: ListField): FilteredType {
  if (kind === "number") return "double precision";
  return kind === "integer" || kind === "timestamp" ? "bigint" : "text";
}

/** The condition of a range at one of its ends. */
export function boundOf({ name, field }: NamedField<RangeField>, end: "low" | "high"): SQL {
  const { column } = field;
  return end === "low"
    ? isAtLeast(column, typeOf(field), `${name}Low`)
    : isAtMost(column, typeOf(field), `${name}High`);
}

/** The condition of a range, for which an index of its column is used. */
export function rangeCondition(range: NamedField<RangeField>): SQL | undefined {
  return and(boundOf(range, "low"), boundOf(range, "high"));
}

/** The condition of a list of values, or that a boolean is false, for which an index of the column is used. */
export function listCondition({ name, field }: NamedField<ListField>): SQL {
  if (!isRange(field) && field.falseIfNull) return isNull(field.falseIfNull);
  return isListed(field.column, typeOf(field), `${name}List`);
}

/** The condition of all fields, without an index. Its inputs are those of `readFields`; an unused one matches all rows. */
export function conditionOfAll(fields: ListFields): SQL | undefined {
  const conditions = Object.entries(fields).flatMap(([name, field]) => {
    const type = typeOf(field);
    const value = comparedValue(field);
    const listed = isListedOrUnfiltered(value, type, `${name}List`);
    return isRange(field)
      ? [isAtLeast(value, type, `${name}Low`), isAtMost(value, type, `${name}High`), listed]
      : [listed];
  });
  return and(...conditions);
}

function comparedValue(field: ListField): Column | SQL {
  const { column } = field;
  if (!isRange(field))
    return field.none === undefined ? column : sql`coalesce(${column}, ${sql.raw(`'${field.none}'`)})`;
  return field.isNullable ? sql`coalesce(${column}, ${sql.raw(String(NO_TIMESTAMP))})` : column;
}

/** The filters of a list of rows with an external id. */
export function externalIdFields(externalId: Column): ListFields {
  return {
    externalId: { kind: "text", column: externalId, isUnique: true },
    hasExternalId: {
      kind: "boolean",
      column: sql`case when ${externalId} is null then 'false' else 'true' end`,
      falseIfNull: externalId,
    },
  };
}
