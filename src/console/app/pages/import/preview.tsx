import { attributePrefix } from "../../../../shared/file-fields.ts";
import type { CsvRecord } from "../../../../shared/imports/csv.ts";
import { AcceptedRows, sendUniqueRows } from "../../../../shared/imports/import-lines.ts";
import { type ImportTable, readRecord } from "../../../../shared/imports/import-table.ts";
import { readAttributes } from "../../attributes.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { labelOf } from "../../editing/members.ts";
import { importing } from "../../messages/messages.ts";
import { type RequestState, useRequest } from "../../use-request.ts";
import type { AttributeTypes } from "./mapping.ts";
import { withLabels } from "./rows.ts";
import { type RowOutcome, sendRows } from "./run.ts";

export function useAttributeTypes(): RequestState<AttributeTypes> {
  return useRequest(async (signal) => {
    const attributes = await readAttributes("accounts", signal);
    return Object.fromEntries(attributes.map(({ name, type }) => [name, type]));
  }, []);
}

/** What would become of the rows with these columns; undefined if they have a fault. */
export function usePreview(
  rows: readonly CsvRecord[],
  table: ImportTable,
  isValid: boolean,
): RequestState<RowOutcome[] | undefined> {
  return useRequest(
    async (signal) => {
      if (!isValid) return undefined;
      const lines = rows.map((record) => readRecord(table, record));
      const send = (sent: Parameters<typeof sendRows>[0]) => sendRows(sent, { isDryRun: true, signal });
      const results = await sendUniqueRows(lines, new AcceptedRows(), send);
      return results.flatMap((result, i) => (lines[i] ? { row: lines[i], ...result } : []));
    },
    [rows, table, isValid],
  );
}

const text = importing.preview;

type PreviewTableProps = {
  table: ImportTable;
  state: RequestState<RowOutcome[] | undefined>;
};

/** The first rows with the columns that are imported, and what would become of them. */
export function PreviewTable({ table, state }: PreviewTableProps) {
  const columns: Column<RowOutcome>[] = [
    { title: text.line, isNumber: true, cell: ({ row }) => row.line },
    { title: text.result, class: "outcome", cell: (outcome) => <Result outcome={outcome} /> },
    ...table.columns.map(
      ({ index, field }): Column<RowOutcome> => ({
        title: labelOf(field),
        cell: ({ row }) => <span class="clamp">{previewText(row, { index, field })}</span>,
      }),
    ),
  ];
  return (
    <Card title={text.title}>
      <Loaded state={state} height={17}>
        {(outcomes) =>
          outcomes.length === 0 ? (
            <Empty title={text.noRows} />
          ) : (
            <div class="preview">
              <Table name={text.name} class="stacking" columns={columns} rows={outcomes} />
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The value that is sent, or the cell if it cannot be read. */
function previewText(line: RowOutcome["row"], { index, field }: { index: number; field: string }): string {
  if ("row" in line && !Object.hasOwn(line.faults ?? {}, field)) {
    const name = field.slice(attributePrefix.length);
    const { attributes } = line.row as { attributes?: Readonly<Record<string, unknown>> };
    const value = field.startsWith(attributePrefix) ? attributes?.[name] : line.row[field];
    return value === null || value === undefined ? "" : String(value);
  }
  return line.cells[index] ?? "";
}

function Result({ outcome }: { outcome: RowOutcome }) {
  if (outcome.result !== "rejected") return text.results[outcome.result];
  return (
    <span class="rejected">
      <strong>{text.rejected}</strong> {withLabels(outcome.reason)}
    </span>
  );
}
