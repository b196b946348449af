import { useState } from "preact/hooks";
import { ProblemNotice } from "../components/problem.tsx";
import { type Column, Table } from "../components/table.tsx";
import { formatMember, labelOf } from "./member-text.ts";
import { differingNames, type RowMembers } from "./members.ts";

/** Both versions of a row after a 412, member by member, and the choice between them. */
export function Conflict({
  base,
  theirs,
  changes,
  onOverwrite,
  onKeep,
}: {
  /** As the row was when the dialog opened. */
  base: RowMembers;
  theirs: RowMembers;
  /** The members that were edited here. */
  changes: RowMembers;
  onOverwrite: () => Promise<void>;
  onKeep: () => void;
}) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const mine = { ...base, ...changes };
  const names = differingNames(theirs, mine);

  const columns: Column<string>[] = [
    { title: "Field", isHeading: true, cell: labelOf },
    { title: "Theirs", cell: (name) => formatMember(name, theirs[name]) },
    {
      title: "Mine",
      cell: (name) => (
        <>
          {formatMember(name, mine[name])}
          {!(name in changes) && <span class="hint"> (not changed)</span>}
        </>
      ),
    },
  ];

  async function overwrite(): Promise<void> {
    setIsBusy(true);
    setError(undefined);
    await onOverwrite().catch(setError);
    setIsBusy(false);
  }

  return (
    <div class="conflict">
      {error !== undefined && <ProblemNotice error={error} />}
      <p role="alert">
        {names.length > 0
          ? "It was changed while you edited it. Overwriting saves only the fields that you changed."
          : "It was changed while you edited it, to the same values."}
      </p>
      {names.length > 0 && <Table label="Both versions" columns={columns} rows={names} />}
      <footer>
        <button type="button" onClick={onKeep}>
          Keep theirs
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={overwrite}>
          {isBusy ? "Saving…" : "Overwrite with mine"}
        </button>
      </footer>
    </div>
  );
}
