import "../../styles/records.css";
import { requestStatuses } from "../../../../shared/fields/requests.ts";
import { readView } from "../../address.ts";
import { Empty, LoadedTable, PageTitle } from "../../components/layout.tsx";
import { accountColumn, ParameterSelect, SearchInput } from "../../components/list-inputs.tsx";
import type { Column } from "../../components/table.tsx";
import { Age } from "../../components/values.tsx";
import { valueLabelsOf } from "../../editing/members.ts";
import { formatWholeMrr } from "../../format.ts";
import { fields, requests as text } from "../../messages/messages.ts";
import { usePlace } from "../../router.ts";
import { useCursorList, useDebounced } from "../../use-request.ts";
import { type RankedRequest, readRanking } from "./ranking.ts";
import { requestParameters, UNRESOLVED } from "./view.ts";

const { labels, nouns, titles } = fields;
const nameOf = (status: string) => valueLabelsOf("status")[status] ?? status;
const statusOptions = [
  [UNRESOLVED, text.unresolved],
  ...requestStatuses.map((status) => [status, nameOf(status)] as const),
] as const;
const severityOptions = [
  ["1", text.anySeverity],
  ...(["2", "3", "4", "5"] as const).map((least) => [least, text.minSeverity(Number(least))] as const),
] as const;

const columns: readonly Column<RankedRequest>[] = [
  { title: nouns.request, isHeading: true, cell: ({ title }) => title },
  accountColumn,
  { title: labels.mrr, isNumber: true, cell: ({ account }) => formatWholeMrr(account.mrr) },
  { title: labels.severity, isNumber: true, cell: ({ severity }) => severity },
  { title: labels.status, class: "together", cell: ({ status }) => nameOf(status) },
  { title: labels.requestedAt, cell: ({ requestedAt }) => <Age timestamp={requestedAt} /> },
];

/** The feature requests of all accounts, in the order of the accounts' MRR, the largest first. */
export function RequestsPage() {
  const view = readView(usePlace().query, requestParameters);
  const shown = { ...view, search: useDebounced(view.search) };
  const list = useCursorList((page, signal) => readRanking(shown, page, signal), [JSON.stringify(shown)], 50);
  const isFiltered = shown.search !== "" || shown.severity !== "1" || shown.status !== UNRESOLVED;
  return (
    <>
      <PageTitle title={titles.request}>
        <SearchInput label={text.search} />
        <ParameterSelect
          label={labels.status}
          parameter="status"
          options={statusOptions}
          value={view.status}
        />
        <ParameterSelect
          label={labels.severity}
          parameter="severity"
          options={severityOptions}
          value={view.severity}
        />
      </PageTitle>
      <p class="hint lead">{text.lead}</p>
      <section class="card" aria-label={titles.request}>
        <LoadedTable
          name={titles.request}
          list={list}
          height={24}
          empty={<Empty {...emptyTextOf(isFiltered, list.data?.nextCursor === null)} />}
          class="records stacking"
          columns={columns}
          keyOf={({ id }) => id}
        />
      </section>
    </>
  );
}

function emptyTextOf(isFiltered: boolean, isEnd: boolean) {
  if (!isEnd) return { title: text.noneYetFound, advice: text.noneYetFoundAdvice };
  if (isFiltered) return { title: text.none, advice: text.noMatchAdvice };
  return { title: text.noneYet, advice: text.noneAdvice };
}
