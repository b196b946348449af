import { type Body, Refusal, type Row } from "./model-rows.ts";

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

/** The sort value of a row: those without the attribute come after all others. */
export function attributeSortValue(row: Row, sortBy: string): unknown {
  const name = sortBy.replace("attributes.", "");
  return (row.attributes as Body)[name] ?? (name === "plan" ? "\u{10ffff}" : Number.POSITIVE_INFINITY);
}
