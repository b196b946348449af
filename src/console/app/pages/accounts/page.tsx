import "../../styles/accounts.css";
import { useEffect, useState } from "preact/hooks";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { Icon } from "../../components/icon.tsx";
import { PageTitle } from "../../components/layout.tsx";
import { fields, accounts as text } from "../../messages/messages.ts";
import { setQuery, usePlace } from "../../router.ts";
import { useSession } from "../../session.ts";
import { AccountsTable } from "./accounts-table.tsx";
import { allColumns, defaultColumns, readColumns, storeColumns } from "./columns.tsx";
import { CreateAccountDialog } from "./create-account.tsx";
import { ExportButton } from "./export-button.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { useAttributes, useTotals } from "./requests.ts";
import { parseView } from "./view.ts";

/** A button and its dialog: creates an account and opens its page. */
function CreateAccount({ onCreated }: { onCreated: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        <Icon name="plus" />
        {text.create}
      </button>
      {isOpen && <CreateAccountDialog onCreated={onCreated} onClose={() => setIsOpen(false)} />}
    </>
  );
}

export function AccountsPage() {
  const { query } = usePlace();
  const view = parseView(query);
  const { can, organization } = useSession();
  const { attributes, isKnown } = useAttributes();
  const [stored, setStored] = useState(() => readColumns(organization.name));
  const chosen = view.columns ?? stored ?? defaultColumns;
  useEffect(() => {
    if (view.columns !== undefined || !stored) return;
    // The address has the columns, so that it shows the same to others. What it has without effect stays, and is named.
    setQuery({ columns: stored.join(), cursor: view.cursor }, { isReplaced: true });
  });
  function choose(columns: readonly string[] | undefined): void {
    setStored(columns);
    storeColumns(organization.name, columns);
    setQuery({ columns: columns?.join(), cursor: view.cursor }, { isReplaced: true });
  }
  // Until the attributes are known, the attributes of the chosen columns are shown without their types.
  const listed = isKnown ? attributes : chosen.flatMap(unknownAttribute);
  const columns = allColumns(listed);
  // Counts the changes made here: rows and totals are loaded again after them.
  const [version, setVersion] = useState(0);
  const onChanged = () => setVersion((before) => before + 1);
  const totals = useTotals(view, version);
  return (
    <>
      <PageTitle title={fields.titles.account}>
        <div class="row">
          <ExportButton view={view} />
          {can("write") && <CreateAccount onCreated={onChanged} />}
        </div>
      </PageTitle>
      <FilterBar
        view={view}
        attributes={attributes}
        total={totals.accounts}
        columns={columns}
        chosen={chosen}
        onChoose={choose}
      />
      <AccountsTable
        view={view}
        columns={columns.filter(({ id }) => chosen.includes(id))}
        attributes={attributes}
        totals={totals}
        version={version}
        onChanged={onChanged}
      />
    </>
  );
}

function unknownAttribute(id: string) {
  const name = id.startsWith(attributePrefix) ? id.slice(attributePrefix.length) : "";
  return name === "" ? [] : [{ name, type: "string" as const, count: 0, values: [] }];
}
