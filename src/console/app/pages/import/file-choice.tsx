import { useState } from "preact/hooks";
import { formatBytes } from "../../format.ts";

/** Chooses a file: by a dialog, or by dropping it on the box. */
export function FileChoice({ file, onChoose }: { file: File | undefined; onChoose: (file: File) => void }) {
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
