import "../../styles/import.css";
import { useRef, useState } from "preact/hooks";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { type FileStart, readStart } from "./file.ts";
import { FileChoice } from "./file-choice.tsx";
import { ImportForm } from "./form.tsx";
import { MemberGuide } from "./member-guide.tsx";
import { useAttributeTypes } from "./requests.ts";

/** Enough rows to guess the types of attributes. */
const maxSampleRows = 200;

type Chosen = { file: File; start: FileStart };

/** Imports accounts from a CSV file: choose the file, map its columns, look at the preview, import. */
export function ImportPage() {
  const [chosen, setChosen] = useState<Chosen | undefined>();
  const [fault, setFault] = useState<string | undefined>();
  const types = useAttributeTypes();
  const lastFile = useRef<File>(null);

  async function choose(file: File): Promise<void> {
    lastFile.current = file;
    setFault(undefined);
    setChosen(undefined);
    try {
      const start = await readStart(file, maxSampleRows);
      if (lastFile.current === file) setChosen({ file, start });
    } catch (failure) {
      if (lastFile.current === file)
        setFault(failure instanceof Error ? failure.message : "The file cannot be read.");
    }
  }

  return (
    <div class="import">
      <PageTitle title="Import" />
      <FileChoice file={chosen?.file} onChoose={choose} />
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
