import "../../styles/import.css";
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { maxGuessRows } from "../../../../shared/column-guess.ts";
import { encodingTitles, type FileEncoding, fileEncodings } from "../../../../shared/encodings.ts";
import { fieldsOf } from "../../../../shared/resources.ts";
import { Card, PageTitle } from "../../components/layout.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { Select } from "../../components/select.tsx";
import { formatBytes } from "../../format.ts";
import { useDebounced } from "../../use-request.ts";
import { type FileStart, readStart } from "./file.ts";
import { FormatChoices, ValueChoices } from "./format-choices.tsx";
import { type AttributeTypes, addAttributes, type ColumnMapping, faultsOf, members } from "./mapping.ts";
import { MappingTable } from "./mapping-table.tsx";
import { PreviewTable, useAttributeTypes, usePreview } from "./preview.tsx";
import { RunCard } from "./run-card.tsx";
import { columnTypesOf, guessChoices, tableOf } from "./table.ts";

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
      class={isOver ? "drop over" : "drop"}
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
        aria-label="CSV file"
        onChange={({ currentTarget }) => {
          const [picked] = currentTarget.files ?? [];
          if (picked) onChoose(picked);
          // The same file can be chosen again after it was changed.
          currentTarget.value = "";
        }}
      />
      {file ? (
        <span>
          <strong>{file.name}</strong> <span class="muted">{formatBytes(file.size)}</span>
        </span>
      ) : (
        <strong>Drop a CSV file here, or choose one</strong>
      )}
      <span class="hint">
        {file
          ? "Drop or choose another file to start again."
          : "The first line has the names of the columns. Accounts are created or updated by their external id. The file is read in the browser and sent in parts."}
      </span>
    </label>
  );
}

type ImportFormProps = { file: File; start: FileStart; types: AttributeTypes };

/** The columns, the preview and the import of a file. */
function ImportForm({ file, start, types }: ImportFormProps) {
  const { rows, scan } = start;
  const header = start.header.names;
  const samples = useMemo(() => rows.map(({ cells }) => cells), [rows]);
  const [choices, setChoices] = useState(() => guessChoices(header, scan, types, samples));
  const table = useMemo(() => tableOf(choices, types, samples), [choices, types, samples]);
  const columnTypes = columnTypesOf(header.length, scan, table.formats.decimal);
  const { targets } = choices;
  const setTargets = (changed: readonly ColumnMapping[]) => setChoices({ ...choices, targets: changed });
  const [isRunning, setIsRunning] = useState(false);
  const faults = faultsOf(header, targets, samples);
  // An attribute's name is typed.
  const settled = useDebounced(choices, 300);
  const settledTable = useMemo(() => tableOf(settled, types, samples), [settled, types, samples]);
  const first = useMemo(() => rows.slice(0, previewRowCount), [rows]);
  const preview = usePreview(first, settledTable, faultsOf(header, settled.targets, samples).length === 0);

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
          <FormatChoices choices={choices} table={table} onChange={setChoices} />
          <ValueChoices
            header={header}
            choices={choices}
            scan={scan}
            samples={samples}
            onChange={setChoices}
          />
        </fieldset>
        {header.length === 1 && (
          <p class="hint">
            The file has one column. If another character separates its columns, write it in a first line such
            as sep=:.
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
      {faults.length === 0 && <PreviewTable header={header} table={settledTable} state={preview} />}
      <RunCard
        file={file}
        start={start}
        table={table}
        onAddAttributes={() => setTargets(addAttributes(header, columnTypes, types, targets))}
        isReady={faults.length === 0 && rows.length > 0}
        onRunning={setIsRunning}
      />
    </>
  );
}

const previewRowCount = 20;

type Chosen = { file: File; start: FileStart };

/** Imports accounts from a CSV file: choose the file, map its columns, look at the preview, import. */
export function ImportPage() {
  const [chosen, setChosen] = useState<Chosen | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const [isReading, setIsReading] = useState(false);
  const types = useAttributeTypes();
  const reading = useRef<AbortController>(null);
  useEffect(() => () => reading.current?.abort(), []);

  async function choose(file: File, encoding?: FileEncoding): Promise<void> {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    setFault(undefined);
    setChosen(undefined);
    setIsReading(true);
    try {
      const start = await readStart(file, maxGuessRows, { signal: controller.signal, encoding });
      controller.signal.throwIfAborted();
      setChosen({ file, start });
    } catch (failure) {
      if (controller.signal.aborted) return;
      setFault(failure instanceof Error ? failure.message : "The file cannot be read.");
    }
    setIsReading(false);
  }

  return (
    <div class="import">
      <PageTitle title="Import" />
      <FileChoice file={chosen?.file} onChoose={(file) => choose(file)} />
      {chosen?.start.encoding !== undefined && (
        <Select
          label="Encoding"
          options={fileEncodings.map((name) => [name, encodingTitles[name]])}
          value={chosen.start.encoding}
          onChange={(encoding) => choose(chosen.file, encoding)}
        />
      )}
      {isReading && <p role="status">Reading the file…</p>}
      {fault !== undefined && (
        <div class="notice problem" role="alert">
          <p>
            <strong>{fault}</strong>
          </p>
        </div>
      )}
      {!chosen && <MemberGuide />}
      {chosen && types.error !== undefined && !types.isLoading && (
        <ProblemNotice error={types.error} onRetry={types.reload} />
      )}
      {chosen && types.data && (
        <ImportForm
          // A new form for each file and encoding.
          key={`${chosen.start.encoding} ${chosen.file.name} ${chosen.file.lastModified} ${chosen.file.size}`}
          file={chosen.file}
          start={chosen.start}
          types={types.data}
        />
      )}
    </div>
  );
}

const guide = [
  ...members.map((name) => [name, fieldsOf("accounts")[name]?.fileText] as const),
  ["attributes.NAME", "Your own fields: a text, a number, or true and false."] as const,
];

/** What a file can have, while none is chosen. */
function MemberGuide() {
  return (
    <Card title="What can be imported">
      <dl class="facts guide">
        {guide.map(([name, text]) => (
          <Fragment key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">
        Columns are recognized by these names, and can be mapped by hand. Commas, semicolons, tabs or pipes
        separate the fields; the file is UTF-8, UTF-16 or Windows-1252. An empty field changes nothing, unless
        you choose that it clears the value. An export of the accounts can be imported again.
      </p>
    </Card>
  );
}
