import { Empty } from "../../components/card.tsx";
import { useSession } from "../../session.ts";
import { activeFilters } from "./describe.ts";
import { changeView, clearFilters, rangeFault, type View } from "./view.ts";

/** Why the table is empty, and what to do. */
export function NoAccounts({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const { can } = useSession();
  if (view.search !== "" || activeFilters(view, String).length > 0)
    return (
      <Empty title="No account matches">
        <p>{rangeFault(view) ?? "Change the search or remove a filter."}</p>
        <button type="button" onClick={() => onChange(clearFilters(view))}>
          Clear search and filters
        </button>
      </Empty>
    );
  if (view.cursor !== undefined)
    return (
      <Empty title="No more accounts">
        <button type="button" onClick={() => onChange(changeView(view, {}))}>
          First page
        </button>
      </Empty>
    );
  return (
    <Empty title="No accounts yet">
      {can("write") ? (
        <p>
          Create the first account, or <a href="/console/import">import a CSV file</a>.
        </p>
      ) : (
        <p>Accounts are created by a key with the scope write.</p>
      )}
    </Empty>
  );
}
