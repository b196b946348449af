import { Card, Empty, Loaded } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { RequestState } from "../../use-request.ts";
import { type ColumnMapping, columnLabel, nameOfTarget } from "./mapping.ts";
import type { RowOutcome } from "./run.ts";

const resultNames = { created: "New account", updated: "Update", unchanged: "No change" } as const;

/** The first rows with the columns that are imported, and what would become of them. */
export function PreviewTable({
  header,
  targets,
  state,
}: {
  header: readonly string[];
  targets: readonly ColumnMapping[];
  state: RequestState<RowOutcome[] | undefined>;
}) {
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
