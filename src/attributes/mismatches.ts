import { asc, count, eq, gt, gte, sql } from "drizzle-orm";
import { allOf, integerInput, textInput } from "../../db/expressions.ts";
import { type AttributeResource, attributeValues, changes, type DeclaredType } from "../../db/schema.ts";
import { isAttribute } from "../core/attributes/value-index.ts";
import { lastSequence } from "../core/changes/account-changes.ts";
import { readBatchSize } from "../core/pauses.ts";
import { inSubquery, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot, TenantTransaction } from "../core/tenant/transaction.ts";
import { isCalendarDate } from "../core/timestamps.ts";
import { convertText } from "../shared/cells.ts";

const { text, rowId } = attributeValues;

/** The distinct texts of an attribute from the input `from` on, each with the number of rows that have it. */
const textsOf = (of: AttributeResource) =>
  select(`attributeValues.counted/${of}`, {
    fields: { text, count: count() },
    from: attributeValues,
    where: allOf(isAttribute(of, "text", "of"), gte(text, textInput("from"))),
    groupBy: [text],
    orderBy: [asc(text)],
    paged: true,
  });
/** The texts of an attribute in rows with a change after a sequence number. */
const changedTextsOf = (of: AttributeResource) => {
  const changed = allOf(
    eq(changes.resource, sql.raw(`'${of}'`)),
    gt(changes.sequence, integerInput("afterSequence")),
  );
  const isChanged = inSubquery({ from: changes, key: changes.resourceId, column: rowId, where: changed });
  return select(`attributeValues.changed/${of}`, {
    fields: { text },
    from: attributeValues,
    where: allOf(isAttribute(of, "text", "of"), isChanged),
  });
};
const texts = { account: textsOf("account"), contact: textsOf("contact") };
const changedTexts = { account: changedTextsOf("account"), contact: changedTextsOf("contact") };

/** The value that a text is converted to: undefined if it has none of the type. A date stays a text. */
export function convertedValue(text: string, type: DeclaredType): string | number | boolean | undefined {
  if (type === "date") return isCalendarDate(text) ? text : undefined;
  return convertText(text, type);
}

/** So many texts of another type are named, up to this length. */
const maxExamples = 3;
const maxExampleLength = 40;

/** The number of rows whose text is no value of a type, up to the change with this sequence number, and some of the texts. */
export type Mismatches = { count: number; sequence: number; examples: readonly string[] };
type DeclaredTexts = { resource: AttributeResource; name: string; type: DeclaredType };

/** Reads every text of an attribute: in a reader. */
export async function countMismatches(
  snapshot: TenantSnapshot,
  { resource, name, type }: DeclaredTexts,
): Promise<Mismatches> {
  let mismatchCount = 0;
  const examples: string[] = [];
  let [from, counted]: [string, string | undefined] = ["", undefined];
  for (;;) {
    const page = { ofName: name, from, limit: readBatchSize, offset: 0 };
    const rows = await snapshot.all(texts[resource], page);
    // The first text of a page is the last one of the page before.
    for (const { text, count } of rows)
      if (text !== null && text !== counted && convertedValue(text, type) === undefined) {
        mismatchCount += count;
        if (examples.length < maxExamples) examples.push(text.slice(0, maxExampleLength));
      }
    if (rows.length < readBatchSize) break;
    from = rows.at(-1)?.text ?? "";
    counted = from;
  }
  return { count: mismatchCount, sequence: await lastSequence(snapshot), examples };
}

/** The number of rows with such a text among those that changed after the texts were read. */
export async function countLaterMismatches(
  tx: TenantTransaction,
  { resource, name, type }: DeclaredTexts,
  { sequence }: Mismatches,
): Promise<number> {
  const rows = await tx.all(changedTexts[resource], { ofName: name, afterSequence: sequence });
  return rows.filter(({ text }) => text !== null && convertedValue(text, type) === undefined).length;
}
