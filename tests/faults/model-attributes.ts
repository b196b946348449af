import { type Body, type Kind, Refusal, type Row } from "./model-rows.ts";

export const attributedKinds: readonly Kind[] = ["accounts", "contacts"];

/** The attributes of a row after these changes, sorted by name; null removes one. */
export function mergedAttributes(before: unknown, changes: unknown): Body {
  const merged = Object.entries({ ...(before as Body), ...(changes as Body) });
  return Object.fromEntries(
    merged.filter(([, value]) => value !== null).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The attributes that differ, on one of the two sides. */
export function differingAttributes(side: unknown, other: unknown): Body {
  const [own, others] = [side as Body, other as Body];
  const names = Object.keys({ ...own, ...others }).filter((name) => own[name] !== others[name]);
  return Object.fromEntries(names.map((name) => [name, own[name] ?? null]));
}

/** Throws the reply of a row whose attributes have another type than those of other rows. */
export function refuseTypes(row: Row, before: Row | undefined, others: readonly Row[]): void {
  const valuesOf = (one: Row | undefined) => (one?.attributes ?? {}) as Body;
  const old = valuesOf(before);
  const errors = Object.entries(valuesOf(row)).flatMap(([name, value]) => {
    if (typeof old[name] === typeof value) return [];
    const types = others.map((other) => typeof valuesOf(other)[name]).filter((type) => type !== "undefined");
    return types.some((type) => type !== typeof value) ? [`/attributes/${name} attribute_type_conflict`] : [];
  });
  if (errors.length > 0) throw new Refusal(400, "attribute_type_conflict", errors);
}

/** The attributes that the rows have, by name, with their most frequent values. */
export function listAttributes(rows: readonly Row[]): Body[] {
  const values = rows
    .toSorted((one, other) => other.id - one.id)
    .flatMap(({ attributes }) =>
      Object.entries(attributes as Body).map(([name, value]) => ({ name, value })),
    );
  const names = [...new Set(values.map(({ name }) => name))].sort();
  return names.map((name) => {
    const own = values.filter((one) => one.name === name).map(({ value }) => value);
    const counts = [...new Set(own)].map((value) => ({
      value,
      count: own.filter((one) => one === value).length,
    }));
    return {
      name,
      type: typeof own[0],
      count: own.length,
      values: counts.sort((one, other) => other.count - one.count),
    };
  });
}

/** The sort value of a row: those without the attribute come after all others. */
export function attributeSortValue(row: Row, sortBy: string): unknown {
  const name = sortBy.replace("attributes.", "");
  return (row.attributes as Body)[name] ?? (name === "plan" ? "\u{10ffff}" : Number.POSITIVE_INFINITY);
}
