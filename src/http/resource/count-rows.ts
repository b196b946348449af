import { asMembers } from "../validation/items.ts";

/** Attributes that cost about as much as one row. */
const attributesPerRow = 10;

/** The `rowCount` of a write that sets these rows. Their attributes are rows of the database, too. */
export function countRows(rows: readonly unknown[]): number {
  return rows.reduce<number>((count, row) => {
    const attributes = asMembers(asMembers(row)?.attributes) ?? {};
    return count + 1 + Object.keys(attributes).length / attributesPerRow;
  }, 0);
}
