import { ActionsHeader } from "../../components/actions-header.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { Age } from "../../components/timestamp.tsx";
import { formatCount } from "../../format.ts";
import { setQuery } from "../../router.ts";
import { useSession } from "../../session.ts";
import type { UnmatchedEntry } from "./requests.ts";
import type { UnmatchedColumn, UnmatchedView } from "./view.ts";

const columns: readonly { name: UnmatchedColumn; title: string }[] = [
  { name: "externalId", title: "External id" },
  { name: "count", title: "Events" },
  { name: "firstAt", title: "First event" },
  { name: "lastAt", title: "Last event" },
];

export function UnmatchedTable({
  entries,
  view,
  onCreate,
  onLink,
}: {
  entries: readonly UnmatchedEntry[];
  view: UnmatchedView;
  onCreate: (entry: UnmatchedEntry) => void;
  onLink: (entry: UnmatchedEntry) => void;
}) {
  const { can } = useSession();
  return (
    <ScrollArea label="Unmatched ids, table">
      <table class="unmatched">
        <thead>
          <tr>
            {columns.map((column) => (
              <SortableHeader key={column.name} {...column} view={view} />
            ))}
            {can("write") && <ActionsHeader />}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.externalId}>
              <th scope="row" class="id">
                <code>{entry.externalId}</code>
              </th>
              <td class="number">{formatCount(entry.count)}</td>
              <td class="time first">
                <Age timestamp={entry.firstAt} />
              </td>
              <td class="time">
                <Age timestamp={entry.lastAt} />
              </td>
              {can("write") && (
                <td class="actions">
                  <button
                    type="button"
                    aria-label={`Create account: ${entry.externalId}`}
                    onClick={() => onCreate(entry)}
                  >
                    Create<span class="wide"> account</span>
                  </button>
                  <button
                    type="button"
                    aria-label={`Link to account: ${entry.externalId}`}
                    onClick={() => onLink(entry)}
                  >
                    Link<span class="wide"> to account</span>
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

const classes: Readonly<Partial<Record<UnmatchedColumn, string>>> = { count: "number", firstAt: "first" };

function SortableHeader({
  name,
  title,
  view,
}: {
  name: UnmatchedColumn;
  title: string;
  view: UnmatchedView;
}) {
  const isSorted = view.sortBy === name;
  const isAscending = view.sortOrder === "asc";
  const order = isAscending ? "ascending" : "descending";
  // The first click shows the largest counts, the latest times and the first ids.
  const nextOrder = isSorted ? !isAscending : name === "externalId";
  return (
    <th scope="col" class={classes[name]} aria-sort={isSorted ? order : "none"}>
      <button type="button" onClick={() => setQuery({ sortBy: name, sortOrder: nextOrder ? "asc" : "desc" })}>
        {title}
        {isSorted && <span aria-hidden="true"> {isAscending ? "↑" : "↓"}</span>}
      </button>
    </th>
  );
}
