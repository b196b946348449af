import { type Column, Table } from "../../components/table.tsx";
import { Age } from "../../components/timestamp.tsx";
import { formatCount } from "../../format.ts";
import { setQuery } from "../../router.ts";
import { useSession } from "../../session.ts";
import type { UnmatchedEntry } from "./requests.ts";
import type { UnmatchedView } from "./view.ts";

/** The first click on a heading shows the first ids, the largest counts and the latest times. */
const columns: readonly Column<UnmatchedEntry>[] = [
  {
    title: "External id",
    sortBy: "externalId",
    isHeading: true,
    class: "id",
    cell: ({ externalId }) => <code>{externalId}</code>,
  },
  {
    title: "Events",
    sortBy: "count",
    firstOrder: "desc",
    isNumber: true,
    cell: ({ count }) => formatCount(count),
  },
  {
    title: "First event",
    sortBy: "firstAt",
    firstOrder: "desc",
    class: "time first",
    cell: ({ firstAt }) => <Age timestamp={firstAt} />,
  },
  {
    title: "Last event",
    sortBy: "lastAt",
    firstOrder: "desc",
    class: "time",
    cell: ({ lastAt }) => <Age timestamp={lastAt} />,
  },
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
  const actions: Column<UnmatchedEntry> = {
    title: "Actions",
    hasHiddenTitle: true,
    class: "actions",
    cell: (entry) => (
      <>
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
      </>
    ),
  };
  return (
    <Table
      label="Unmatched ids, table"
      class="unmatched"
      columns={can("write") ? [...columns, actions] : columns}
      rows={entries}
      keyOf={({ externalId }) => externalId}
      order={view}
      onOrder={setQuery}
    />
  );
}
