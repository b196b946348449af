import "../../styles/records.css";
import { useState } from "preact/hooks";
import type { components } from "../../../../../clients/typescript/src/client.ts";
import { type WithAccount, withAccounts } from "../../account-names.ts";
import { readView, searchParameter } from "../../address.ts";
import { api } from "../../api.ts";
import { Card, Empty, LoadedTable, PageTitle } from "../../components/layout.tsx";
import { accountColumn, SearchInput } from "../../components/list-inputs.tsx";
import type { Column } from "../../components/table.tsx";
import { LocalDate } from "../../components/values.tsx";
import { fields, meetings as text } from "../../messages/messages.ts";
import { usePlace } from "../../router.ts";
import { useCursorList, useDebounced } from "../../use-request.ts";

const { labels, nouns, titles } = fields;
type Meeting = WithAccount<components["schemas"]["Meeting"]>;

const columns: readonly Column<Meeting>[] = [
  { title: nouns.meeting, isHeading: true, cell: ({ title }) => title },
  accountColumn,
  { title: labels.startAt, cell: ({ startAt }) => <LocalDate timestamp={startAt} hasTime /> },
];

/** The meetings of all accounts: those that have not ended, the next one first, and the others, the latest first. */
export function MeetingsPage() {
  const search = useDebounced(readView(usePlace().query, searchParameter).search);
  // One time for both lists and all their pages: a cursor belongs to its filter.
  const [now] = useState(() => new Date().toISOString());
  return (
    <>
      <PageTitle title={titles.meeting}>
        <SearchInput label={text.search} />
      </PageTitle>
      <div class="stack">
        <MeetingsCard
          title={text.coming}
          table={text.comingTable}
          none={text.noneComing}
          search={search}
          filter={{ "endAt.gte": now, sortOrder: "asc" }}
        />
        <MeetingsCard
          title={text.past}
          table={text.pastTable}
          none={text.nonePast}
          search={search}
          filter={{ "endAt.lt": now, sortOrder: "desc" }}
        />
      </div>
    </>
  );
}

type MeetingsCardProps = {
  title: string;
  table: string;
  none: string;
  search: string;
  filter: { "endAt.gte"?: string; "endAt.lt"?: string; sortOrder: "asc" | "desc" };
};

function MeetingsCard({ title, table, none, search, filter }: MeetingsCardProps) {
  const list = useCursorList(
    async (page, signal) => {
      const query = { ...filter, ...(search !== "" && { search }), sortBy: "startAt" as const, ...page };
      const { data } = await api.GET("/api/v1/meetings", { params: { query }, signal });
      return { data: await withAccounts(data.data, signal), pagination: data.pagination };
    },
    [search],
    25,
    title,
  );
  return (
    <Card title={title}>
      <LoadedTable
        name={table}
        list={list}
        height={10}
        empty={<Empty title={none} advice={search === "" ? text.noneAdvice : text.noMatchAdvice} />}
        class="records stacking"
        columns={columns}
        keyOf={({ id }) => id}
      />
    </Card>
  );
}
