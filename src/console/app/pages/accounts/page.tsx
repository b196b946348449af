import "../../styles/accounts.css";
import { useEffect, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Empty, Loaded, PageTitle } from "../../components/layout.tsx";
import { Table } from "../../components/table.tsx";
import { Fields } from "../../editing/form-field.tsx";
import { type Field, initialOf, inputsOf, readFields } from "../../editing/form-values.ts";
import { bodyOf } from "../../editing/members.ts";
import { messages } from "../../messages/messages.ts";
import { navigate, usePlace } from "../../router.ts";
import { useSession } from "../../session.ts";
import { allColumns, defaultColumns, nameColumn, readColumns, storeColumns } from "./columns.tsx";
import { ExportButton } from "./export-button.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filters, rangeFault } from "./filters.ts";
import { Pager, useRowKeys } from "./pager.tsx";
import { useAccounts, useAttributes, useTotals } from "./requests.ts";
import { changeView, clearFilters, parseView, queryOfView, type View } from "./view.ts";

const text = messages.accounts;
const fields = inputsOf("accounts", { isNew: true });
const contactFields: readonly Field[] = [
  { name: "contactName", kind: "text" },
  { name: "contactEmail", kind: "email" },
];

/** A button and its dialog: creates an account and opens its page. */
function CreateAccount({ onCreated }: { onCreated: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  async function create(values: FormData): Promise<void> {
    const members = Object.entries(readFields([...fields, ...contactFields], values, initialOf("accounts")));
    const sent = members.map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]);
    const { data } = await api.POST("/api/v1/accounts", {
      body: bodyOf(Object.fromEntries(sent.filter(([, value]) => value !== null && value !== ""))),
    });
    onCreated();
    navigate(`/console/accounts/${data.data.id}`);
  }
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        {text.create}
      </button>
      {isOpen && (
        <FormDialog
          title={text.create}
          submitLabel={text.create}
          onSubmit={create}
          onClose={() => setIsOpen(false)}
        >
          <Fields fields={fields} members={initialOf("accounts")} />
          <p class="hint">{text.externalIdHint}</p>
          <Fields fields={contactFields} members={{}} hasFocus={false} />
        </FormDialog>
      )}
    </>
  );
}

/** Shows another view: its address is a link to it. */
function showView(view: View, { isReplaced = false } = {}): void {
  const query = queryOfView(view).toString();
  navigate(query === "" ? "/console/accounts" : `/console/accounts?${query}`, { isReplaced });
}

export function AccountsPage() {
  const view = parseView(usePlace().query);
  const { can, organization } = useSession();
  const { attributes, isKnown } = useAttributes();
  const [stored, setStored] = useState(() => readColumns(organization.name));
  const chosen = view.columns ?? stored ?? defaultColumns;
  useEffect(() => {
    // The address has the columns, so that it shows the same to others.
    if (view.columns === undefined && stored) showView({ ...view, columns: stored }, { isReplaced: true });
  });
  function choose(columns: readonly string[] | undefined): void {
    setStored(columns);
    storeColumns(organization.name, columns);
    showView({ ...view, columns }, { isReplaced: true });
  }
  // Until the attributes are known, the attributes of the chosen columns are shown without their types.
  const listed = isKnown ? attributes : chosen.flatMap(unknownAttribute);
  const columns = allColumns(listed).filter(({ id }) => chosen.includes(id));
  const state = useAccounts(view, columns);
  useRowKeys();
  const [version, setVersion] = useState(0);
  const totals = useTotals(view, version);
  const isCursorOutdated = state.error instanceof ProblemError && state.error.code === "invalid_cursor";
  useEffect(() => {
    // A link to a page of another day or organization: the same view from its beginning.
    if (isCursorOutdated) showView(changeView(view, {}), { isReplaced: true });
  }, [isCursorOutdated]);

  return (
    <>
      <PageTitle title={text.title}>
        <div class="row">
          <ExportButton view={view} />
          {can("write") && <CreateAccount onCreated={() => setVersion(version + 1)} />}
        </div>
      </PageTitle>
      <FilterBar
        view={view}
        onChange={showView}
        attributes={attributes}
        total={totals.accounts}
        columns={allColumns(listed)}
        chosen={chosen}
        onChoose={choose}
      />
      <div class="accounts">
        <Loaded state={state} height={40}>
          {({ accounts, nextCursor }) => (
            <>
              {accounts.length > 0 ? (
                <Table
                  label={text.table}
                  columns={[nameColumn, ...columns]}
                  rows={accounts}
                  keyOf={({ id }) => id}
                  hasRowLinks
                  order={view}
                  onOrder={(order) => showView(changeView(view, order))}
                />
              ) : (
                <NoAccounts view={view} onChange={showView} />
              )}
              <Pager
                view={view}
                totals={totals}
                rowCount={accounts.length}
                nextCursor={nextCursor}
                isLoading={state.isLoading}
                onChange={showView}
              />
            </>
          )}
        </Loaded>
      </div>
    </>
  );
}

function unknownAttribute(id: string) {
  const name = id.startsWith(attributePrefix) ? id.slice(attributePrefix.length) : "";
  return name === "" ? [] : [{ name, type: "string" as const, count: 0, values: [] }];
}

/** Why the table is empty, and what to do. */
function NoAccounts({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const { can } = useSession();
  if (view.search !== "" || Object.keys(view.filters).length > 0) {
    const [fault] = filters.flatMap((filter) => rangeFault(filter, view.filters) ?? []);
    return (
      <Empty title={text.noMatch}>
        <p>{fault ?? text.changeSearch}</p>
        <button type="button" onClick={() => onChange(clearFilters(view))}>
          {text.clearAll}
        </button>
      </Empty>
    );
  }
  if (view.cursor !== undefined)
    return (
      <Empty title={text.noMore}>
        <button type="button" onClick={() => onChange(changeView(view, {}))}>
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
