import { type MappedColumn, readCells } from "../../../../shared/cells.ts";
import type { CsvRecord } from "../../../../shared/csv.ts";
import { importedFields } from "../../../../shared/file-fields.ts";
import type { FileLine } from "../../../../shared/import-lines.ts";
import { fieldsOf } from "../../../../shared/resources.ts";
import { type ColumnMapping, nameOfTarget } from "./mapping.ts";

/** The row of a record, by the rules of `accountd import`: the server checks the values. */
export function readRow(targets: readonly ColumnMapping[], { line, cells, fault }: CsvRecord): FileLine {
  if (fault !== undefined) return { line, cells, fault };
  return { line, cells, ...readCells(columnsOf(targets), targets.length, cells) };
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
