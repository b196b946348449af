import "../../styles/records.css";
import type { components } from "../../../../../clients/typescript/src/client.ts";
import { contactFields } from "../../../../shared/fields/contacts.ts";
import { type WithAccount, withAccounts } from "../../account-names.ts";
import { readView } from "../../address.ts";
import { api } from "../../api.ts";
import { Empty, LoadedTable, PageTitle } from "../../components/layout.tsx";
import { accountColumn, ParameterSelect, SearchInput } from "../../components/list-inputs.tsx";
import type { Column } from "../../components/table.tsx";
import { Age, fieldValue, LocalDate } from "../../components/values.tsx";
import { fields, contacts as text } from "../../messages/messages.ts";
import { setQuery, usePlace } from "../../router.ts";
import { useCursorList, useDebounced } from "../../use-request.ts";
import { type ContactsView, contactParameters, type Seen, seenFilters } from "./view.ts";

const { labels, titles } = fields;
const seenOptions = Object.entries(text.seenOptions) as [Seen, string][];
type Contact = WithAccount<components["schemas"]["Contact"]>;

const columns: readonly Column<Contact>[] = [
  { title: labels.name, sortBy: "name", isHeading: true, cell: ({ name }) => name },
  {
    title: labels.email,
    class: "detail",
    cell: ({ email }) => fieldValue("email", contactFields.email, email),
  },
  accountColumn,
  {
    title: labels.lastSeenAt,
    cell: ({ lastSeenAt }) => <Age timestamp={lastSeenAt} />,
  },
  {
    title: text.created,
    sortBy: "createdAt",
    firstOrder: "desc",
    class: "wide-only",
    cell: ({ createdAt }) => <LocalDate timestamp={createdAt} />,
  },
];

async function readContacts(
  { search, seen, sortBy, sortOrder }: ContactsView,
  page: { cursor: string; pageSize: number },
  signal: AbortSignal,
) {
  const query = { ...(search !== "" && { search }), ...seenFilters[seen], sortBy, sortOrder, ...page };
  const { data } = await api.GET("/api/v1/contacts", { params: { query }, signal });
  return { data: await withAccounts(data.data, signal), pagination: data.pagination };
}

/** The contacts of all accounts. */
export function ContactsPage() {
  const view = readView(usePlace().query, contactParameters);
  const shown = { ...view, search: useDebounced(view.search) };
  const list = useCursorList(
    (page, signal) => readContacts(shown, page, signal),
    [JSON.stringify(shown)],
    50,
  );
  const isFiltered = shown.search !== "" || shown.seen !== "any";
  return (
    <>
      <PageTitle title={titles.contact}>
        <SearchInput label={text.search} />
        <ParameterSelect label={labels.lastSeenAt} parameter="seen" options={seenOptions} value={view.seen} />
      </PageTitle>
      <section class="card" aria-label={titles.contact}>
        <LoadedTable
          name={titles.contact}
          list={list}
          height={24}
          empty={
            <Empty
              title={isFiltered ? text.noMatch : text.none}
              advice={isFiltered ? text.noMatchAdvice : text.noneAdvice}
            />
          }
          class="records stacking"
          columns={columns}
          keyOf={({ id }) => id}
          order={view}
          onOrder={setQuery}
        />
      </section>
    </>
  );
}
