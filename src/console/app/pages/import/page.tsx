import "../../styles/import.css";
import { Fragment } from "preact";
import { useMemo, useState } from "preact/hooks";
import { maxGuessRows } from "../../../../shared/imports/column-guess.ts";
import { encodingTitles, type FileEncoding, fileEncodings } from "../../../../shared/imports/encodings.ts";
import { Icon } from "../../components/icon.tsx";
import { Card, PageTitle } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { Select } from "../../components/select.tsx";
import { ReaderError } from "../../editing/form-problem.ts";
import { labelOf } from "../../editing/members.ts";
import { formatBytes } from "../../format.ts";
import { fields as fieldTexts, importing as text } from "../../messages/messages.ts";
import { useDebounced, useRequest } from "../../use-request.ts";
import { type FileStart, readStart } from "./file.ts";
import { FormatChoices, ValueChoices } from "./format-choices.tsx";
import { type AttributeTypes, addAttributes, type ColumnMapping, faultsOf } from "./mapping.ts";
import { MappingTable } from "./mapping-table.tsx";
import { PreviewTable, useAttributeTypes, usePreview } from "./preview.tsx";
import { RunCard } from "./run-card.tsx";
import { guessChoices, tableOf, withTargets } from "./table.ts";

/** Chooses a file: by a dialog, or by dropping it on the box. */
function FileChoice({ file, onChoose }: { file: File | undefined; onChoose: (file: File) => void }) {
  const [isOver, setIsOver] = useState(false);
  function drop(event: DragEvent): void {
    event.preventDefault();
    setIsOver(false);
    const dropped = event.dataTransfer?.files[0];
    if (dropped) onChoose(dropped);
  }
  return (
    <label
      class={`drop${isOver ? " over" : ""}${file ? " chosen" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
        aria-label={text.file.label}
        onChange={({ currentTarget }) => {
          const [picked] = currentTarget.files ?? [];
          if (picked) onChoose(picked);
          // A changed file can be chosen again under its name.
          currentTarget.value = "";
        }}
      />
      <Icon name={file ? "sheet" : "upload"} />
      {file ? (
        <span>
          <strong>{file.name}</strong> <span class="muted">{formatBytes(file.size)}</span>
        </span>
      ) : (
        <strong>{text.file.choose}</strong>
      )}
      <span class="hint">{file ? text.file.again : text.file.hint}</span>
    </label>
  );
}

type ImportFormProps = { file: File; start: FileStart; types: AttributeTypes };

/** The columns, the preview and the import of a file. */
function ImportForm({ file, start, types }: ImportFormProps) {
  const { rows, scan } = start;
  const header = start.header.names;
  const samples = useMemo(() => rows.map(({ cells }) => cells), [rows]);
  const [choices, setChoices] = useState(() => guessChoices(header, types, samples));
  const input = useMemo(
    () => ({ header, attributeTypes: types, samples, scan }),
    [header, types, samples, scan],
  );
  const table = useMemo(() => tableOf(input, choices), [input, choices]);
  const { targets } = choices;
  const setTargets = (changed: readonly ColumnMapping[]) => setChoices(withTargets(choices, changed));
  const [isRunning, setIsRunning] = useState(false);
  const faults = faultsOf(header, targets, samples);
  // An attribute's name is typed.
  const settled = useDebounced(choices, 300);
  const settledTable = useMemo(() => tableOf(input, settled), [input, settled]);
  const first = useMemo(() => rows.slice(0, previewRowCount), [rows]);
  const preview = usePreview(first, settledTable, faultsOf(header, settled.targets, samples).length === 0);

  return (
    <>
      <Card title={text.columns.title}>
        <fieldset class="mapping-fields" disabled={isRunning}>
          <MappingTable input={input} table={table} targets={targets} onChange={setTargets} />
          <FormatChoices choices={choices} table={table} onChange={setChoices} />
          <ValueChoices input={input} choices={choices} onChange={setChoices} />
        </fieldset>
        {header.length === 1 && <p class="hint">{text.columns.single}</p>}
        {faults.length > 0 && (
          <ul class="faults" role="status">
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        )}
      </Card>
      {faults.length === 0 && <PreviewTable table={settledTable} state={preview} />}
      <RunCard
        file={file}
        start={start}
        table={table}
        onAddAttributes={() => setTargets(addAttributes(header, types, targets))}
        isReady={faults.length === 0 && rows.length > 0}
        onRunning={setIsRunning}
      />
    </>
  );
}

const previewRowCount = 20;

/** A file that is read in an encoding, by default in the one that is recognized. */
type PickedFile = { file: File; encoding?: FileEncoding };

async function readPicked({ file, encoding }: PickedFile, signal: AbortSignal) {
  try {
    return { file, start: await readStart(file, maxGuessRows, { signal, encoding }) };
  } catch (failure) {
    throw new ReaderError(failure instanceof Error ? failure.message : text.file.unreadable);
  }
}

/** Imports accounts from a CSV file: choose the file, map its columns, look at the preview, import. */
export function ImportPage() {
  const [picked, setPicked] = useState<PickedFile>();
  const reading = useRequest(async (signal) => picked && readPicked(picked, signal), [picked]);
  const isRead = !reading.isLoading && reading.error === undefined;
  const { file, start } = (isRead && reading.data) || {};
  const types = useAttributeTypes();
  return (
    <div class="stack import">
      <PageTitle title={text.title} />
      <FileChoice file={file} onChoose={(chosen) => setPicked({ file: chosen })} />
      {picked && (start || (reading.error !== undefined && !reading.isLoading)) && (
        <div class="row">
          <Select
            label={text.file.encoding}
            options={fileEncodings.map((name) => [name, encodingTitles[name]])}
            value={start?.encoding ?? picked.encoding ?? "utf-8"}
            onChange={(encoding) => setPicked({ file: picked.file, encoding })}
          />
        </div>
      )}
      {picked && reading.isLoading && <p role="status">{text.file.reading}</p>}
      {reading.error !== undefined && !reading.isLoading && <ProblemNotice error={reading.error} />}
      {!start && <MemberGuide />}
      {start && types.error !== undefined && !types.isLoading && (
        <ProblemNotice error={types.error} onRetry={types.reload} />
      )}
      {file && start && types.data && (
        <ImportForm
          // A new form for each file and encoding.
          key={`${start.encoding} ${file.name} ${file.lastModified} ${file.size}`}
          file={file}
          start={start}
          types={types.data}
        />
      )}
    </div>
  );
}

/** What a file can have, while none is chosen. */
function MemberGuide() {
  const { title, fields, attributesText, hint } = text.guide;
  const rows = Object.entries(fields).map(([name, meaning]) => [labelOf(name), meaning] as const);
  return (
    <Card title={title}>
      <dl class="facts guide">
        {[...rows, [fieldTexts.attributes, attributesText] as const].map(([label, meaning]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{meaning}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">{hint}</p>
    </Card>
  );
}
