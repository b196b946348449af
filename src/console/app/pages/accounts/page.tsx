import "../../styles/accounts.css";
import { useEffect, useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { Loaded } from "../../components/card.tsx";
import { PageTitle } from "../../components/page-title.tsx";
import { navigate, usePlace } from "../../router.ts";
import { useSession } from "../../session.ts";
import { allColumns, readColumns, storeColumns } from "./columns.tsx";
import { CreateAccount } from "./create.tsx";
import { ExportButton } from "./export-button.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { NoAccounts } from "./no-accounts.tsx";
import { Pager } from "./pager.tsx";
import { useAccounts, useAttributes, useTotal } from "./requests.ts";
import { AccountTable } from "./table.tsx";
import { changeView, parseView, queryOfView, type View } from "./view.ts";

/** Shows another view: its address is a link to it. */
function showView(view: View, { isReplaced = false } = {}): void {
  const query = queryOfView(view).toString();
  navigate(query === "" ? "/console/accounts" : `/console/accounts?${query}`, { isReplaced });
}

export function AccountsPage() {
  const view = parseView(usePlace().query);
  const { can, organization } = useSession();
  const { attributes, isKnown } = useAttributes();
  const [chosen, setChosen] = useState(() => readColumns(organization.name));
  // Until the attributes are known, those of the chosen columns are shown without their types.
  const listed = isKnown ? attributes : chosen.flatMap(unknownAttribute);
  const columns = allColumns(listed).filter(({ id }) => chosen.includes(id));
  const state = useAccounts(view, columns);
  const [version, setVersion] = useState(0);
  const total = useTotal(view, version);
  const isCursorOutdated = state.error instanceof ProblemError && state.error.code === "invalid_cursor";
  useEffect(() => {
    // A link to a page of another day or organization: the same view from its beginning.
    if (isCursorOutdated) showView(changeView(view, {}), { isReplaced: true });
  }, [isCursorOutdated]);

  return (
    <>
      <PageTitle title="Accounts">
        <div class="row">
          <ExportButton view={view} />
          {can("write") && <CreateAccount onCreated={() => setVersion(version + 1)} />}
        </div>
      </PageTitle>
      <FilterBar
        view={view}
        onChange={showView}
        attributes={attributes}
        total={total}
        columns={allColumns(listed)}
        chosen={chosen}
        onChoose={(ids) => {
          setChosen(ids);
          storeColumns(organization.name, ids);
        }}
      />
      <div class="accounts">
        <Loaded state={state} height={40}>
          {({ accounts, nextCursor }) => (
            <>
              {accounts.length > 0 ? (
                <AccountTable accounts={accounts} columns={columns} view={view} onChange={showView} />
              ) : (
                <NoAccounts view={view} onChange={showView} />
              )}
              <Pager
                view={view}
                total={total}
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
  const name = id.startsWith("attributes.") ? id.slice(11) : "";
  return name === "" ? [] : [{ name, type: "string" as const, count: 0, values: [] }];
}
