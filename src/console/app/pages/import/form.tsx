import { useMemo, useState } from "preact/hooks";
import { Card } from "../../components/card.tsx";
import { useDebounced } from "../../use-request.ts";
import type { FileStart } from "./file.ts";
import { type AttributeTypes, type ColumnMapping, faultsOf, guessTargets } from "./mapping.ts";
import { MappingTable } from "./mapping-table.tsx";
import { PreviewTable } from "./preview-table.tsx";
import { usePreview } from "./requests.ts";
import { RunCard } from "./run-card.tsx";

/** The columns, the preview and the import of a file. */
export function ImportForm({ file, start, types }: { file: File; start: FileStart; types: AttributeTypes }) {
  const { rows, types: columnTypes } = start;
  const header = start.header.names;
  const samples = useMemo(() => rows.map(({ cells }) => cells), [rows]);
  const [targets, setTargets] = useState<readonly ColumnMapping[]>(() =>
    guessTargets(header, columnTypes, types),
  );
  const [isRunning, setIsRunning] = useState(false);
  const faults = faultsOf(header, targets);
  // An attribute's name is typed.
  const settled = useDebounced(targets, 300);
  const preview = usePreview(rows, settled, faultsOf(header, settled).length === 0);

  return (
    <>
      <Card title="Columns">
        <fieldset class="mapping-fields" disabled={isRunning}>
          <MappingTable
            header={header}
            samples={samples}
            columnTypes={columnTypes}
            types={types}
            targets={targets}
            onChange={setTargets}
          />
        </fieldset>
        {header.length === 1 && (
          <p class="hint">
            The file has one column. If another character separates its columns, write it in a first line such
            as sep=|.
          </p>
        )}
        {faults.length > 0 && (
          <ul class="faults" role="status">
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        )}
      </Card>
      {faults.length === 0 && <PreviewTable header={header} targets={settled} state={preview} />}
      <RunCard
        file={file}
        header={start.header}
        targets={targets}
        isReady={faults.length === 0 && rows.length > 0}
        onRunning={setIsRunning}
      />
    </>
  );
}
