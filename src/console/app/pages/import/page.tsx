import "../../styles/import.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { type FileStart, readStart } from "./file.ts";
import { FileChoice } from "./file-choice.tsx";
import { ImportForm } from "./form.tsx";
import { MemberGuide } from "./member-guide.tsx";
import { useAttributeTypes } from "./requests.ts";

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

  async function choose(file: File): Promise<void> {
    reading.current?.abort();
    const controller = new AbortController();
    reading.current = controller;
    setFault(undefined);
    setChosen(undefined);
    setIsReading(true);
    try {
      const start = await readStart(file, previewRowCount, controller.signal);
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
      <FileChoice file={chosen?.file} onChoose={choose} />
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
          // A new form for each file.
          key={`${chosen.file.name} ${chosen.file.lastModified} ${chosen.file.size}`}
          file={chosen.file}
          start={chosen.start}
          types={types.data}
        />
      )}
    </div>
  );
}
