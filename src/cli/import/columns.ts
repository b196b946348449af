import { closestName } from "../../core/did-you-mean.ts";
import { type CellType, isNamePart } from "../../shared/file-fields.ts";
import {
  type ColumnGuess,
  describeOtherResource,
  guessColumns,
  isGuessedReference,
  isOwnName,
  namedColumns,
} from "../../shared/imports/column-guess.ts";
import type { ColumnScan } from "../../shared/imports/column-scan.ts";
import { createImportTable } from "../../shared/imports/import-table.ts";
import { exportedIdType } from "../../shared/imports/row-cells.ts";
import { subResourceChoice } from "../../shared/resources.ts";
import {
  assertChoices,
  type ColumnTarget,
  findValues,
  type ImportMap,
  indexOfPosition,
  invalidMapping,
  isSameName,
} from "./map.ts";

/** What a column of the file is imported as. Without a field it is not imported. `isNew`: an attribute without a stored type. */
export type ColumnReport = { column: string; field: string | null; type?: CellType; isNew?: boolean };
type IndexedTarget = ColumnTarget & { index: number };

/**
 * The columns of a file with this header and first rows. A column of the map is what the map says and nothing else. The
 * others are guessed. A new attribute has the type of all its values in `scan`. Throws UsageError for a column of the map
 * that is not in the file, for a field that two columns could be, and without a column for `externalId`.
 */
export function mapColumns(
  header: readonly string[],
  map: ImportMap,
  samples: readonly (readonly string[])[],
  scan?: ColumnScan,
) {
  const entries = map.entries.map(({ column, target }) => ({ index: indexOf(header, column), target }));
  const mapped = new Map(entries.map(({ index, target }) => [index, target]));
  const isMapped = (index: number) => mapped.has(index);
  assertOnce(header, entries);
  assertAccounts({ header, samples }, map, isMapped);
  const targets: IndexedTarget[] = entries.flatMap(({ index, target }) =>
    target ? { ...target, index } : [],
  );
  const isFilled = (field: string) => targets.some((target) => target.field === field);
  const guesses =
    map.isGuessed === false ? [] : guessColumns({ header, samples, ...map }, { isMapped, isFilled });
  assertUnique(header, guesses);
  targets.push(...guesses);
  if (!isFilled("externalId"))
    throw invalidMapping(
      `No column is imported as externalId. Add --map "COLUMN=externalId". The columns are ${header.join(", ")}. If another character separates them, write it in a first line such as sep=:.`,
    );
  const imported = new Set(targets.map(({ index }) => index));
  const unfilled = namedColumns(header, map.resource).filter(
    (guess) =>
      isOwnName(guess) &&
      mapped.get(guess.index) &&
      !isFilled(guess.field) &&
      !(isNamePart(guess.field) && isFilled("name")),
  );
  const account = guesses.find(isGuessedReference);
  const indexes = new Map((map.values ?? []).map(({ column }) => [column, indexOf(header, column)]));
  for (const index of indexes.values())
    if (!imported.has(index))
      throw invalidMapping(
        `--values replaces values of the column ${labelOf(header, index)}, which is not imported. Add it to --map.`,
      );
  const columns = targets.map((target) => ({
    ...target,
    values: findValues(map, (column) => indexes.get(column) === target.index),
  }));
  const table = createImportTable({ header, samples, scan, ...map }, columns, map.formats);
  for (const column of table.columns) assertChoices(column);
  const columnsAt = Map.groupBy(table.columns, ({ index }) => index);
  const exportedId = guesses.some(({ field }) => field === "accountId") ? header.indexOf("id") : -1;
  const idColumn = exportedId < 0 ? [] : [{ ...exportedIdType, index: exportedId, isNew: false }];
  return {
    table: { ...table, columns: [...table.columns, ...idColumn] },
    mapping: header.flatMap((_, index): ColumnReport[] => {
      const column = labelOf(header, index);
      const found = columnsAt
        .get(index)
        ?.map(({ field, type, isNew }) => ({ column, field, type, ...(isNew && { isNew }) }));
      return found ?? [{ column, field: null }];
    }),
    unfilled: [...new Set(unfilled.map(({ field }) => field))],
    accountColumn: account && header[account.index],
  };
}

function labelOf(header: readonly string[], index: number): string {
  return (header[index] ?? "").replace(/\s+/g, " ") || `#${index + 1}`;
}

/** Throws UsageError for two columns of one field. */
function assertUnique(header: readonly string[], guesses: readonly ColumnGuess[]): void {
  const first = new Map<string, ColumnGuess>();
  for (const guess of guesses) {
    const other = first.get(guess.field);
    if (other) throw ambiguousColumns(header, other, guess);
    first.set(guess.field, guess);
  }
}

function ambiguousColumns(header: readonly string[], first: ColumnGuess, second: ColumnGuess) {
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
  file: { header: readonly string[]; samples: readonly (readonly string[])[] },
  { resource, isResourceChosen }: ImportMap,
  isMapped: (index: number) => boolean,
): void {
  const other = resource === "accounts" ? describeOtherResource(file, isMapped) : undefined;
  if (!other || (isResourceChosen && other.resource)) return;
  throw invalidMapping(
    other.resource
      ? `${other.text} Add --resource ${other.resource}, or --resource accounts if its rows are accounts.`
      : `${other.text} Add --resource ${subResourceChoice}, or leave it out: --map "${other.column}=".`,
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
