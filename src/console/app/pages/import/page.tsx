import "../../styles/import.css";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fieldsOf } from "../../../../shared/resources.ts";
import { Card } from "../../components/card.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { type FileStart, readStart } from "./file.ts";
import { FileChoice } from "./file-choice.tsx";
import { ImportForm } from "./form.tsx";
import { members } from "./mapping.ts";
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
        Columns are recognized by these names, and can be mapped by hand. Commas, semicolons or tabs separate
        the fields; the file is UTF-8 or UTF-16. An empty field changes nothing. An export of the accounts can
        be imported again.
      </p>
    </Card>
  );
}
