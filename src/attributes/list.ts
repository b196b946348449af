import { and, asc, desc, eq, gt, lte } from "drizzle-orm";
import { allOf, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import {
  type AttributeResource,
  attributeNames,
  attributeValues,
  type DeclaredType,
} from "../../db/schema.ts";
import type { AttributeValue } from "../core/attributes/attributes.ts";
import { type Declaration, readAllDeclarations } from "../core/attributes/declared.ts";
import { maxAttributeNames, readAttributeNames } from "../core/attributes/names.ts";
import { hasValue } from "../core/attributes/value-index.ts";
import { parseStoredJson } from "../core/stored-json.ts";
import { jsonArray, select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { valueTypeOf } from "../shared/file-fields.ts";

/** The values of a sample of all attributes, from this many ranges of ids. */
const maxSampledValues = 5_000;
const rangeCount = 10;
/** An attribute with fewer sampled values, though it has more, gets a sample of its own of at most `maxOwnValues`. */
const minSampledValues = 100;
const maxOwnValues = 500;
/** Also the least number of values in a sample of its own. */
const maxFrequentValues = 10;

const { text, number, rowId } = attributeValues;
const isOfResource = eq(attributeValues.resource, textInput("resource"));
const isInRange = allOf(isOfResource, gt(rowId, integerInput("after")), lte(rowId, integerInput("upTo")));
const newestFirst = [desc(rowId), desc(attributeValues.name)];
const valuesInRange = select("attributeValues.sampled", {
  fields: { name: attributeValues.name, text, number },
  from: attributeValues,
  where: isInRange,
  orderBy: newestFirst,
  paged: true,
});
const endOf = (end: "first" | "last") =>
  select(`attributeValues.${end}Id`, {
    fields: { rowId },
    from: attributeValues,
    where: isOfResource,
    orderBy: end === "first" ? [asc(rowId), asc(attributeValues.name)] : newestFirst,
    paged: true,
  });
const [firstId, lastId] = [endOf("first"), endOf("last")];
/** The first values of several attributes, each in a JSON array of its own. */
const valuesOf = (column: "text" | "number") =>
  select(`attributeValues.${column}Of`, {
    fields: {
      name: attributeNames.name,
      values: jsonArray({
        fields: { value: attributeValues[column] },
        from: attributeValues,
        where: and(isOfResource, eq(attributeValues.name, attributeNames.name), hasValue[column]),
        orderBy: [asc(attributeValues[column]), asc(rowId)],
        limit: integerInput("valueCount"),
      }),
    },
    from: attributeNames,
    where: allOf(
      eq(attributeNames.resource, textInput("resource")),
      isInJson(attributeNames.name, textInput("names")),
    ),
  });
const ownValues = { text: valuesOf("text"), number: valuesOf("number") };

type NamedAttribute = { name: string; type: string; count: number };
type SampledValue = { text: string | null; number: number | null };

/**
 * Values of each attribute: all, or at most `maxSampledValues` from rows of every age. An attribute that few of these rows
 * have gets its first values in their order instead.
 */
async function sampleValues(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  attributes: readonly NamedAttribute[],
): Promise<Map<string, readonly SampledValue[]>> {
  const total = attributes.reduce((sum, { count }) => sum + count, 0);
  const ranges = total > maxSampledValues ? rangeCount : 1;
  const shared = await sampleRanges(snapshot, resource, ranges);
  const samples: Map<string, readonly SampledValue[]> = Map.groupBy(shared, (value) => value.name);
  const rare = attributes.filter(
    ({ name, count }) => (samples.get(name)?.length ?? 0) < Math.min(count, minSampledValues),
  );
  const valueCount = Math.min(
    maxOwnValues,
    Math.max(maxFrequentValues, Math.floor(maxSampledValues / rare.length)),
  );
  const areTexts = Map.groupBy(rare, ({ type }) => type === "string");
  for (const [isText, part] of areTexts) {
    const names = JSON.stringify(part.map(({ name }) => name));
    const statement = ownValues[isText ? "text" : "number"];
    for (const { name, values } of await snapshot.all(statement, { resource, names, valueCount }))
      samples.set(name, readValues(values));
  }
  return samples;
}

function readValues(json: string): SampledValue[] {
  // Safe: each row has one value, which is a text or a number.
  const rows = parseStoredJson(json) as [string | number][];
  return rows.map(([value]) =>
    typeof value === "string" ? { text: value, number: null } : { text: null, number: value },
  );
}

/** The newest values in each of several ranges of ids of equal length, together at most `maxSampledValues`. */
async function sampleRanges(snapshot: TenantSnapshot, resource: AttributeResource, ranges: number) {
  const page = { resource, limit: 1, offset: 0 };
  const last = (await snapshot.first(lastId, page))?.rowId ?? 0;
  const first = (await snapshot.first(firstId, page))?.rowId ?? 0;
  const end = (range: number) => last - Math.floor(((last - first + 1) * range) / ranges);
  const values: (SampledValue & { name: string })[] = [];
  for (let range = 0; range < ranges; range += 1) {
    const bounds = { after: end(range + 1), upTo: end(range) };
    const limit = maxSampledValues / ranges;
    values.push(...(await snapshot.all(valuesInRange, { resource, ...bounds, limit, offset: 0 })));
  }
  return values;
}

/** The JSON of the values of all listed attributes is at most this many bytes of UTF-8. */
const maxValueBytes = 1_048_576;

const { name, type, count } = attributeNames;
const names = select("attributeNames.counted", {
  fields: { name, type, count },
  from: attributeNames,
  where: eq(attributeNames.resource, textInput("resource")),
  orderBy: [asc(name)],
  paged: true,
});
type FrequentValue = { value: AttributeValue; count: number };
export type ListedAttribute = {
  name: string;
  type: DeclaredType;
  count: number;
  values: FrequentValue[];
  declared?: Declaration;
};

/** A declared attribute, with the most frequent ones of its first values. */
export async function presentDeclared(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
  declared: Declaration,
): Promise<ListedAttribute> {
  const { name, type } = declared;
  const read = { resource, names: JSON.stringify([name]), valueCount: maxOwnValues };
  const [own] = await snapshot.all(ownValues[valueTypeOf(type) === "string" ? "text" : "number"], read);
  const { count = 0 } = (await readAttributeNames(snapshot, resource, [name])).get(name) ?? {};
  return { name, type, count, values: own ? frequentValues(readValues(own.values), type) : [], declared };
}

/**
 * The attributes of a resource by name, and the declared ones, each with the most frequent values of a sample. Values
 * beyond `maxValueBytes` are left out.
 */
export async function listAttributes(
  snapshot: TenantSnapshot,
  resource: AttributeResource,
): Promise<ListedAttribute[]> {
  const rows = await snapshot.all(names, { resource, limit: maxAttributeNames, offset: 0 });
  const samples = await sampleValues(snapshot, resource, rows);
  const listed = new Map<string, ListedAttribute>();
  for (const row of rows) {
    const values = frequentValues(samples.get(row.name) ?? [], row.type);
    listed.set(row.name, { ...row, values });
  }
  for (const declared of await readAllDeclarations(snapshot, resource)) {
    const { name, type } = declared;
    const { count = 0 } = listed.get(name) ?? {};
    const values = frequentValues(samples.get(name) ?? [], type);
    listed.set(name, { name, type, count, values, declared });
  }
  let bytes = 0;
  const hasRoom = (value: FrequentValue) => {
    if (bytes <= maxValueBytes) bytes += Buffer.byteLength(JSON.stringify(value));
    return bytes <= maxValueBytes;
  };
  const sorted = [...listed.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map((attribute) => ({ ...attribute, values: attribute.values.filter(hasRoom) }));
}

function frequentValues(sample: readonly SampledValue[], type: DeclaredType): FrequentValue[] {
  const counts = new Map<AttributeValue, number>();
  for (const { text, number } of sample) {
    const value = text ?? (type === "boolean" ? number === 1 : (number ?? 0));
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  // Sorting is stable: of values with one count, the newest comes first.
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.slice(0, maxFrequentValues).map(([value, count]) => ({ value, count }));
}
