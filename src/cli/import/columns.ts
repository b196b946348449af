import { closestName } from "../../core/did-you-mean.ts";
import type { MappedColumn } from "../../shared/cells.ts";
import {
  accountReference,
  importedFields,
  isAccountReference,
  simplifyName,
} from "../../shared/file-fields.ts";
import { type ResourceName, subResourceNames } from "../../shared/resources.ts";
import {
  type ColumnTarget,
  fieldTypeOf,
  findTarget,
  type ImportMap,
  indexOfPosition,
  invalidMapping,
  isNewString,
  isSameName,
} from "./map.ts";

/** Formats names as `a, b or c`. */
const alternatives = new Intl.ListFormat("en-GB", { type: "disjunction" });

type ColumnMap = {
  columns: MappedColumn[];
  /** The names of the columns that are not imported. */
  ignored: string[];
  /** The fields that no column fills, although a column of the map has their name. */
  unfilled: string[];
  /** The attributes that the organization does not have yet, and that have no type in the file or the map: strings. */
  newStrings: string[];
  /** The column that is read as `accountExternalId` although its name is `account_id` or similar. */
  accountColumn: string | undefined;
};
type IndexedTarget = ColumnTarget & { index: number };

/**
 * The columns of a file with this header. A column of the map is what the map says and nothing else. Of the others, a
 * field gets the column with its name, else the one with a similar name. Throws UsageError for a column of the map that is
 * not in the file, for a field that two columns could be, and without a column for `externalId`.
 */
export function mapColumns(header: readonly string[], map: ImportMap): ColumnMap {
  const entries = map.entries.map(({ column, target }) => ({ index: indexOf(header, column), target }));
  const mapped = new Map(entries.map(({ index, target }) => [index, target]));
  assertOnce(header, entries);
  assertAccounts(header, map.resource, mapped);
  const targets: IndexedTarget[] = entries.flatMap(({ index, target }) =>
    target ? { ...target, index } : [],
  );
  const isFilled = (field: string) => targets.some((target) => target.field === field);
  const named = namedTargets(header, map.resource);
  const free = named.filter(({ index, field }) => !mapped.has(index) && !isFilled(field));
  targets.push(...chooseColumns(header, free));
  if (!isFilled("externalId"))
    throw invalidMapping(
      `No column is imported as externalId. Add --map "COLUMN=externalId". The columns are ${header.join(", ")}. If another character separates them, write it in a first line such as sep=|.`,
    );
  const imported = new Set(targets.map(({ index }) => index));
  const unfilled = named.filter(({ index, field }) => mapped.get(index) && !isFilled(field));
  const account = targets.find(({ field }) => field === accountReference);
  const isGuessed = account && named.some(({ index, rank }) => index === account.index && rank === 2);
  return {
    columns: targets.map((target) => ({ ...fieldTypeOf(target, map), index: target.index })),
    ignored: header.flatMap((name, index) => (imported.has(index) ? [] : name || `#${index + 1}`)),
    unfilled: [...new Set(unfilled.map(({ field }) => field))],
    newStrings: targets.filter((target) => isNewString(target, map)).map(({ field }) => field),
    accountColumn: isGuessed && !mapped.has(account.index) ? header[account.index] : undefined,
  };
}

/** The field that a column would be by its name. The lowest rank counts: 0 is the exact name of the field. */
type NamedTarget = IndexedTarget & { rank: 0 | 1 | 2 };

/**
 * What the columns are by their names. `accountId` is the id that accountd assigned where `accountExternalId` is another
 * column, as in an export. In a file of another system, it and `account_id` are the external id.
 */
function namedTargets(header: readonly string[], resource: ResourceName): NamedTarget[] {
  const fields = Object.entries(importedFields[resource]).map(([field, type]) => ({ field, type }));
  const isExport = header.includes(accountReference);
  const guessed = fields.find(({ field }) => field === accountReference);
  return header.flatMap((name, index): NamedTarget | NamedTarget[] => {
    const exact = findTarget(name, resource);
    if (exact && (exact.field !== "accountId" || isExport)) return { ...exact, index, rank: 0 };
    const simple = simplifyName(name);
    if (guessed && simple === "accountid") return { ...guessed, index, rank: 2 };
    const similar = fields.find(({ field }) => simplifyName(field) === simple);
    return similar ? { ...similar, index, rank: 1 } : [];
  });
}

/** For each field the column with the lowest rank. Throws UsageError for two of them. */
function chooseColumns(header: readonly string[], named: readonly NamedTarget[]): IndexedTarget[] {
  return [...Map.groupBy(named, ({ field }) => field).values()].map((candidates) => {
    const [first, second] = candidates.toSorted((a, b) => a.rank - b.rank);
    if (first && second?.rank === first.rank) throw ambiguousColumns(header, first, second);
    // Safe: a group is not empty.
    return first as IndexedTarget;
  });
}

function ambiguousColumns(header: readonly string[], first: IndexedTarget, second: IndexedTarget) {
  const [name = "", other = ""] = [header[first.index], header[second.index]];
  // A name that can be written in `--map` and that no other column has in any case.
  const isName = !isSameName(name, other) && !/[,=\\]/.test(name);
  const position = `#${first.index + 1}`;
  const advice = `Choose one: --map "${isName ? name : position}=${first.field}".`;
  return invalidMapping(
    name === other
      ? `The file has the column ${name} twice, as ${position} and #${second.index + 1}. ${advice}`
      : `The columns ${name} and ${other} could both be ${first.field}. ${advice}`,
  );
}

/** Throws UsageError for a column that the map leaves out and imports. */
function assertOnce(header: readonly string[], entries: readonly { index: number; target: unknown }[]): void {
  for (const { index, target } of entries)
    if (!target && entries.some((other) => other.index === index && other.target))
      throw invalidMapping(
        `--map leaves out the column ${header[index]} and imports it. Remove one of both.`,
      );
}

/** Throws UsageError for a file of another resource: its rows would be imported as accounts. */
function assertAccounts(
  header: readonly string[],
  resource: ResourceName,
  mapped: ReadonlyMap<number, unknown>,
): void {
  const column = header.find((name, index) => isAccountReference(name) && !mapped.has(index));
  if (resource === "accounts" && column !== undefined)
    throw invalidMapping(
      `Rows of accounts have no ${column}. Add --resource ${alternatives.format(subResourceNames)}, or leave it out: --map "${column}=".`,
    );
}

/** The index of a column of `--map`. Throws UsageError. */
function indexOf(header: readonly string[], column: string): number {
  const position = indexOfPosition(column);
  const exact = indexesOf(header, (name) => name === column);
  if (position !== undefined) {
    if (position >= header.length)
      throw invalidMapping(`The file has no column ${column}: it has ${header.length} columns.`);
    const other = exact.find((index) => index !== position);
    if (other !== undefined)
      throw invalidMapping(`The column #${other + 1} has the name ${column}. Rename it to map by position.`);
    return position;
  }
  const found = exact.length > 0 ? exact : indexesOf(header, (name) => isSameName(name, column));
  const [index, second] = found;
  if (index === undefined) throw unknownColumn(header, column);
  if (second === undefined) return index;
  const positions = found.map((at) => `#${at + 1}`).join(" or ");
  throw invalidMapping(
    exact.length > 0
      ? `The file has the column ${column} twice. Write its position: ${positions}.`
      : `The columns ${found.map((at) => header[at]).join(" and ")} differ in case only. Write the position: ${positions}.`,
  );
}

function indexesOf(header: readonly string[], matches: (name: string) => boolean): number[] {
  return header.flatMap((name, index) => (matches(name) ? index : []));
}

function unknownColumn(header: readonly string[], column: string) {
  const closest = closestName(column, header);
  const advice = closest === undefined ? `Its columns are ${header.join(", ")}.` : `Did you mean ${closest}?`;
  return invalidMapping(`The file has no column ${column}. ${advice}`);
}
