import { useEffect, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { Empty, Loaded } from "../../components/layout.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { Table } from "../../components/table.tsx";
import { accountSelection, accounts as text } from "../../messages/messages.ts";
import { removeParameters, setQuery } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useDebounced } from "../../use-request.ts";
import type { ListedAttribute } from "./attribute-text.ts";
import { type AccountColumn, nameColumn } from "./columns.tsx";
import { filters, rangeFault } from "./filters.ts";
import { Pager, useRowKeys } from "./pager.tsx";
import { useAccounts, type ViewTotals } from "./requests.ts";
import { SelectionActions, selectionColumn } from "./selection.tsx";
import { queryOfView, type View } from "./view.ts";

type AccountsTableProps = {
  view: View;
  columns: readonly AccountColumn[];
  attributes: readonly ListedAttribute[];
  totals: ViewTotals;
  /** With another one the rows are loaded again. */
  version: number;
  onChanged: () => void;
};

/** A page of the accounts of a view. With the scope write, its rows can be selected. */
export function AccountsTable({ view, columns, attributes, totals, version, onChanged }: AccountsTableProps) {
  const { can } = useSession();
  const state = useAccounts({ ...view, search: useDebounced(view.search) }, columns, version);
  const [ids, select] = useState<ReadonlySet<number>>(new Set());
  const [note, setNote] = useState("");
  useEffect(() => {
    // Rows that are not on the screen are not selected.
    select(new Set());
    setNote("");
  }, [queryOfView({ ...view, columns: undefined }).toString()]);
  useRowKeys();
  const isCursorOutdated = state.error instanceof ProblemError && state.error.code === "invalid_cursor";
  useEffect(() => {
    // A link to a page of another day or organization: the same view from its beginning.
    if (isCursorOutdated) setQuery({}, { isReplaced: true });
  }, [isCursorOutdated]);
  function finish(done: string, isOpen: boolean): void {
    if (isOpen) {
      setNote(done);
      select(new Set());
    } else {
      // Other rows may be selected since, and another dialog open for them.
      showSaved(done);
    }
    onChanged();
  }
  return (
    <div class="accounts">
      <Loaded state={state} height={40}>
        {({ accounts, nextCursor }) => {
          const selected = accounts.filter(({ id }) => ids.has(id));
          const selection = can("write") ? [selectionColumn(accounts, { ids, select })] : [];
          return (
            <>
              {accounts.length > 0 ? (
                <Table
                  label={text.table}
                  columns={[...selection, nameColumn, ...columns]}
                  rows={accounts}
                  keyOf={({ id }) => id}
                  rowClass={({ id }) => (ids.has(id) ? "selected" : undefined)}
                  hasRowLinks
                  order={view}
                  onOrder={setQuery}
                />
              ) : (
                <NoAccounts view={view} />
              )}
              <Pager
                view={view}
                totals={totals}
                rowCount={accounts.length}
                nextCursor={nextCursor}
                isLoading={state.isLoading}
                hasHints={selected.length === 0 && note === ""}
              >
                <span role="status">
                  {selected.length > 0 ? accountSelection.selected(selected.length) : note}
                </span>
                {selected.length > 0 && (
                  <SelectionActions
                    accounts={selected}
                    attributes={attributes}
                    onClear={() => select(new Set())}
                    onChanged={finish}
                  />
                )}
              </Pager>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

/** Why the table is empty, and what to do. */
function NoAccounts({ view }: { view: View }) {
  const { can } = useSession();
  if (view.search !== "" || Object.keys(view.filters).length > 0) {
    const [fault] = filters.flatMap((filter) => rangeFault(filter, view.filters) ?? []);
    return (
      <Empty title={text.noMatch} advice={fault ?? text.changeSearch}>
        <button type="button" onClick={() => removeParameters(["search", ...Object.keys(view.filters)])}>
          {text.clearAll}
        </button>
      </Empty>
    );
  }
  if (view.cursor !== undefined)
    return (
      <Empty title={text.noMore}>
        <button type="button" onClick={() => setQuery({})}>
          {text.firstPage}
        </button>
      </Empty>
    );
  return (
    <Empty title={text.none}>
      {can("write") ? (
        <p>
          {text.createFirst} <a href="/console/import">{text.importFile}</a>
        </p>
      ) : (
        <p>{text.cannotCreate}</p>
      )}
    </Empty>
  );
}
