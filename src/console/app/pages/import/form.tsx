import { useMemo, useState } from "preact/hooks";
import { Card } from "../../components/card.tsx";
import { useDebounced } from "../../use-request.ts";
import type { FileStart } from "./file.ts";
import { type AttributeTypes, type ColumnMapping, faultsOf, guessTargets } from "./mapping.ts";
import { MappingTable } from "./mapping-table.tsx";
import { PreviewTable } from "./preview-table.tsx";
import { usePreview } from "./requests.ts";
import { RunCard } from "./run-card.tsx";

const previewRowCount = 20;

/** The columns, the preview and the import of a file. */
export function ImportForm({ file, start, types }: { file: File; start: FileStart; types: AttributeTypes }) {
  const { header, rows } = start;
  const samples = useMemo(() => rows.flatMap((record) => ("cells" in record ? [record.cells] : [])), [rows]);
  const [targets, setTargets] = useState<readonly ColumnMapping[]>(() =>
    guessTargets(header, samples, types),
  );
  const [isRunning, setIsRunning] = useState(false);
  const faults = faultsOf(header, targets);
  const previewed = useMemo(() => rows.slice(0, previewRowCount), [rows]);
  // An attribute's name is typed.
  const settled = useDebounced(targets, 300);
  const preview = usePreview(previewed, settled, faultsOf(header, settled).length === 0);

  return (
    <>
      <Card title="Columns">
        <fieldset class="mapping-fields" disabled={isRunning}>
          <MappingTable
            header={header}
            samples={samples}
            types={types}
            targets={targets}
            onChange={setTargets}
          />
        </fieldset>
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
        header={header}
        targets={targets}
        isReady={faults.length === 0 && rows.length > 0}
        onRunning={setIsRunning}
      />
    </>
  );
}
