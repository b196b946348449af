/** What `accountd check --repair` derives from other rows, in its order: a sum is derived from counts that are right. */
export const derivedKinds = [
  "accountCounts",
  "pendingEvents",
  "dayEvents",
  "dayUsers",
  "sumUserAccounts",
  "sumEvents",
  "sumAccounts",
  "sumUsers",
  "accountChanges",
  "accountAttributes",
  "contactAttributes",
  "accountAttributeNames",
  "contactAttributeNames",
  "foldedTexts",
  "scores",
] as const;
export type DerivedKind = (typeof derivedKinds)[number];

/** A stored value that differs from what it is derived from. */
export type DerivedFault = {
  kind: DerivedKind;
  /** The line of `accountd check`. */
  text: string;
  organizationId: number;
  /** The key of the row, as the comparison of the kind selects it. */
  key: (string | number)[];
  /** What has to be added to a number; 0 for other values. */
  difference: number;
};

/** The faults of a page of rows, and its last row; undefined: there are no further rows. */
export type FaultPage = { faults: DerivedFault[]; lastId: number | undefined };

/** Passes the rows of a comparison on, and returns their texts. */
export function readFaults(
  kind: DerivedKind | undefined,
  rows: readonly (readonly unknown[])[],
  onDerived: ((fault: DerivedFault) => void) | undefined,
): string[] {
  return rows.map(([line, organizationId, key, difference]) => {
    const text = String(line);
    if (kind)
      onDerived?.({
        kind,
        text,
        organizationId: Number(organizationId),
        // Safe: the comparison makes an array of columns.
        key: JSON.parse(String(key)) as DerivedFault["key"],
        difference: Number(difference),
      });
    return text;
  });
}
