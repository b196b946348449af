import { type MappedColumn, readCells } from "../../../../shared/cells.ts";
import type { CsvRecord } from "../../../../shared/csv.ts";
import { importedFields } from "../../../../shared/file-fields.ts";
import { fieldsOf } from "../../../../shared/resources.ts";
import type { FileLine } from "../../../../shared/unique-rows.ts";
import { type ColumnMapping, nameOfTarget } from "./mapping.ts";

/** A row of a file: the account to send, or why it is rejected without a request. */
export type FileRow = FileLine & { cells: readonly string[] };

/** The row of a record, by the rules of `accountd import`: the server checks the values. */
export function readRow(targets: readonly ColumnMapping[], { line, cells, fault }: CsvRecord): FileRow {
  if (fault !== undefined) return { line, cells, fault };
  const read = readCells(columnsOf(targets), targets.length, cells);
  if ("row" in read && read.row.externalId === undefined)
    return { line, cells, fault: "the line has no externalId" };
  return { line, cells, ...read };
}

function columnsOf(targets: readonly ColumnMapping[]): MappedColumn[] {
  return targets.flatMap((target, index) => {
    if (!target) return [];
    const field = nameOfTarget(target);
    if ("attribute" in target) return { field, type: target.type, index };
    const { [field]: type = "string" } = importedFields.accounts;
    return { field, type, index, choices: fieldsOf("accounts")[field]?.values };
  });
}
