import type { CsvRecord } from "../../../../shared/csv.ts";
import { valueTypeOf } from "../../../../shared/file-fields.ts";
import { AcceptedRows, sendUniqueRows } from "../../../../shared/import-lines.ts";
import { api } from "../../api.ts";
import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { type RequestState, useRequest } from "../../use-request.ts";
import { type AttributeTypes, type ColumnMapping, columnLabel, nameOfTarget } from "./mapping.ts";
import { readRow } from "./rows.ts";
import { type RowOutcome, sendRows } from "./run.ts";

export function useAttributeTypes(): RequestState<AttributeTypes> {
  return useRequest(async (signal) => {
    const query = { resource: "accounts" as const };
    const { data } = await api.GET("/api/v1/attributes", { params: { query }, signal });
    return Object.fromEntries(data.data.map(({ name, type }) => [name, valueTypeOf(type)]));
  }, []);
}

/** What would become of the rows with these targets; undefined if they have a fault. */
export function usePreview(
  rows: readonly CsvRecord[],
  targets: readonly ColumnMapping[],
  isValid: boolean,
): RequestState<RowOutcome[] | undefined> {
  return useRequest(
    async (signal) => {
      if (!isValid) return undefined;
      const lines = rows.map((record) => readRow(targets, record));
      const send = (sent: Parameters<typeof sendRows>[0]) => sendRows(sent, { isDryRun: true, signal });
      const results = await sendUniqueRows(lines, new AcceptedRows(), send);
      return results.flatMap((result, i) => (lines[i] ? { row: lines[i], ...result } : []));
    },
    [rows, targets, isValid],
  );
}

const resultNames = { created: "New account", updated: "Update", unchanged: "No change" } as const;

type PreviewTableProps = {
  header: readonly string[];
  targets: readonly ColumnMapping[];
  state: RequestState<RowOutcome[] | undefined>;
};

/** The first rows with the columns that are imported, and what would become of them. */
export function PreviewTable({ header, targets, state }: PreviewTableProps) {
  const columns: Column<RowOutcome>[] = [
    { title: "Line", isNumber: true, cell: ({ row }) => row.line },
    { title: "Result", class: "outcome", cell: (outcome) => <Result outcome={outcome} /> },
    ...targets.flatMap((target, index): Column<RowOutcome>[] => {
      if (!target) return [];
      const [name, member] = [columnLabel(header, index), nameOfTarget(target)];
      const title = (
        <>
          {name}
          {member !== name && <span class="hint below">{member}</span>}
        </>
      );
      return [{ title, cell: ({ row }) => <span class="clamp">{row.cells[index]}</span> }];
    }),
  ];
  return (
    <Card title="Preview of the first rows">
      <Loaded state={state} height={17}>
        {(outcomes) =>
          outcomes.length === 0 ? (
            <Empty title="The file has no rows" />
          ) : (
            <div class="preview">
              <Table label="Preview, table" columns={columns} rows={outcomes} />
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function Result({ outcome }: { outcome: RowOutcome }) {
  if (outcome.result !== "rejected") return resultNames[outcome.result];
  return (
    <span class="rejected">
      <strong>Rejected:</strong> {outcome.reason}
    </span>
  );
}
