import type { ResourceFields } from "../../shared/fields/field.ts";
import { type AttributeChanges, mergeAttributes, parseAttributes } from "../attributes/attributes.ts";
import { formatNullable, parseTimestamp } from "../timestamps.ts";

type RowValues = Readonly<Record<string, unknown>>;
/** The fields that have a column of the same name. */
type ColumnField<F extends ResourceFields> = {
  [K in keyof F & string]: F[K] extends { kind: "flag" } ? never : K;
}[keyof F & string];

/** The columns of these fields. Default: all. */
export function columnsOf<
  F extends ResourceFields,
  T extends object,
  Name extends keyof F & string = ColumnField<F>,
>(fields: F, table: T, names?: readonly Name[]): { [K in Name & keyof T]: T[K] } {
  const chosen = names ?? Object.keys(fields).filter((name) => fields[name]?.kind !== "flag");
  const columns = table as Readonly<Record<string, unknown>>;
  // Safe: a test compares the fields with the columns of the table.
  return Object.fromEntries(chosen.map((name) => [name, columns[name]])) as { [K in Name & keyof T]: T[K] };
}

/** The columns that every resource has, and that are not set by a field of its own. */
const commonColumns = new Set(["id", "accountId", "externalId", "createdAt", "updatedAt"]);

/**
 * The columns of the fields after `input` is applied to `existing`, or to the defaults of a new row. The schema of the
 * body has accepted the texts of timestamps.
 */
export function mergeInput<Result extends object>(
  fields: ResourceFields,
  input: object,
  existing: RowValues | undefined,
): Result {
  const columns: Record<string, unknown> = {};
  // Safe: an object has members, of unknown values.
  const sent = input as RowValues;
  for (const name in fields) {
    const field = fields[name];
    if (!field || field.kind === "flag" || commonColumns.has(name)) continue;
    const { kind, isNullable, default: initial } = field;
    const value = sent[name];
    const stored = existing?.[name];
    if (kind === "attributes")
      columns[name] = mergeAttributes(stored as string | undefined, value as AttributeChanges | undefined);
    else if (value === undefined) columns[name] = existing ? stored : (initial ?? (isNullable ? null : ""));
    else if (kind === "timestamp") columns[name] = parseTimestamp(String(value ?? "")) ?? null;
    else columns[name] = value === "" && isNullable ? null : value;
  }
  // Safe: the fields of the resource.
  return columns as Result;
}

export function presenterOf<View extends object>(
  fields: ResourceFields,
  names: readonly string[],
): (row: object) => View {
  // A copy has all members at once: adding them one by one costs as much as the rest of a view.
  const empty = Object.fromEntries(names.map((name) => [name, null as unknown]));
  const isOfKind = (...kinds: string[]) => names.filter((name) => kinds.includes(fields[name]?.kind ?? ""));
  const timestamps = isOfKind("timestamp");
  const flags = isOfKind("flag");
  const attributes = isOfKind("attributes");
  const copied = names.filter((name) => ![...timestamps, ...flags, ...attributes].includes(name));
  return (row) => {
    const stored = row as RowValues;
    const view = { ...empty };
    for (const name of copied) view[name] = stored[name];
    for (const name of timestamps) view[name] = formatNullable(stored[name] as number | null);
    for (const name of flags) view[name] = stored[fields[name]?.of ?? ""] === name;
    for (const name of attributes) view[name] = parseAttributes(stored[name] as string);
    return view as View;
  };
}
