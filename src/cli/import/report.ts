import { attributePrefix } from "../../shared/file-fields.ts";
import type { ImportCounts } from "../../shared/imports/import-lines.ts";
import type { ImportTable } from "../../shared/imports/import-table.ts";
import type { FileRows } from "../../shared/resources.ts";
import type { Invocation } from "../command.ts";
import { createProgressBar, print, printError } from "../output.ts";
import type { ColumnReport } from "./columns.ts";
import type { RejectedLines } from "./rejected.ts";
import type { ImportSource } from "./source.ts";

/** Prints the mapping before the first row, the progress on a terminal, and what was imported at the end. */
export async function createReport(path: string, resource: FileRows, flags: Invocation["flags"]) {
  const isJson = flags.json === true;
  const bar = createProgressBar("lines", flags);
  const lineCount = bar ? await (await import("./text.ts")).countLines(path) : 0;
  return {
    start({ mapping, notes, unfilled }: ImportSource): void {
      if (isJson) return;
      if (mapping.length > 0)
        printError(`Columns, imported as ${resource}:\n  ${mapping.map(describeColumn).join("\n  ")}`);
      if (unfilled.length > 0)
        printError(`Not filled, as --map says something else about their columns: ${unfilled.join(", ")}.`);
      const newAttributes = mapping.filter(({ isNew }) => isNew);
      if (newAttributes.length > 0) printError(describeNew(newAttributes));
      for (const note of notes) printError(note);
    },
    onPart: (line: number) => bar?.show(Math.min(line, lineCount), lineCount),
    clear: () => bar?.clear(),
    finish(counts: ImportCounts, source: ImportSource, rejected: RejectedLines): void {
      bar?.clear();
      const isDryRun = flags["dry-run"] === true;
      const ignored = source.ignored();
      const { mapping, unfilled, table } = source;
      const missing = source.missing();
      const rejectedFile = rejected.path;
      if (isJson) {
        const notes = {
          mapping,
          ...(table && { formats: table.formats }),
          notes: source.notes,
          ignored,
          ...(unfilled.length > 0 && { unfilled }),
          ...(missing.length > 0 && { missing }),
        };
        const reasons = { rejectedFile, rejectedLines: rejected.first };
        print(JSON.stringify({ resource, ...counts, ...notes, ...reasons, isDryRun }, null, 2));
        return;
      }
      if (mapping.length === 0 && ignored.length > 0)
        printError(`Fields that were not imported: ${ignored.join(", ")}.`);
      if (missing.length > 0)
        printError(`No line has these fields of --map or --values: ${missing.join(", ")}.`);
      if (isDryRun)
        for (const { line, reason } of rejected.first)
          printError(`Line ${line}: ${reason.replace(/\.$/, "")}.`);
      if (rejectedFile !== null)
        printError(`Rejected lines with their reasons: ${rejectedFile}.${adviceOnRejected(table)}`);
      print(summaryOf(resource, counts, isDryRun));
    },
  };
}

export function describeColumn({ column, field, type }: ColumnReport): string {
  if (field === null) return `${column}: not imported`;
  return `${column}: ${field}${field.startsWith(attributePrefix) ? ` (${type})` : ""}`;
}

function describeNew(attributes: readonly ColumnReport[]): string {
  const types = attributes.map(({ field, type }) => `${field}: ${type}`).join(", ");
  const example = attributes[0]?.field;
  return `New attributes: ${types}. For another type write ${example}:string, ${example}:number or ${example}:boolean, in the header or in --map. For dates, run accountd attributes set-type NAME date before the import.`;
}

/** The formats that the few rejected lines may not show. */
function adviceOnRejected(table: ImportTable | undefined): string {
  if (!table) return "";
  const { decimal, dates } = table.formats;
  const options = [
    ...(decimal === "plain" ? [] : [`--decimal ${decimal}`]),
    ...(dates === "iso" ? [] : [`--dates ${dates}`]),
  ];
  return options.length === 0 ? "" : ` When they are repaired, import them with ${options.join(" ")}.`;
}

function summaryOf(resource: string, counts: ImportCounts, isDryRun: boolean): string {
  const { lines, created, updated, unchanged, rejected } = counts;
  const text = `${lines} ${lines === 1 ? "line" : "lines"} of ${resource}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${rejected} rejected`;
  return isDryRun ? `${text}. Nothing was stored: this was a dry run.` : `${text}.`;
}
