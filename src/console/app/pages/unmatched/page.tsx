import "../../styles/unmatched.css";
import { useEffect, useMemo, useState } from "preact/hooks";
import { readView } from "../../address.ts";
import { Empty, LoadedTable, PageTitle } from "../../components/layout.tsx";
import { SearchInput } from "../../components/list-inputs.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { actionColumn, type Column } from "../../components/table.tsx";
import { Age } from "../../components/values.tsx";
import { formatCount } from "../../format.ts";
import { unmatched as text } from "../../messages/messages.ts";
import { setQuery, usePlace } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useCursorList, useDebounced, useRequest } from "../../use-request.ts";
import { CreateDialog, LinkDialog } from "./dialogs.tsx";
import {
  type AttachedAccount,
  countPendingEvents,
  readUnmatchedIds,
  type UnmatchedEntry,
} from "./requests.ts";
import { unmatchedParameters } from "./view.ts";

const maxMilliseconds = 10_000;
const intervalMilliseconds = 500;

/** Shows how the events of an id are attached to its account: polls until none is pending, for at most 10 seconds. */
function AttachNotice({ account }: { account: AttachedAccount }) {
  const end = useMemo(() => Date.now() + maxMilliseconds, [account]);
  const pending = useRequest((signal) => countPendingEvents(account.id, signal), [account], {
    isLive: false,
  });
  const isDone = pending.data === 0 || Date.now() >= end;
  useEffect(() => {
    if (pending.isLoading || isDone) return;
    const timer = setTimeout(pending.reload, intervalMilliseconds);
    return () => clearTimeout(timer);
  }, [pending.isLoading]);
  if (pending.error !== undefined) return <ProblemNotice error={pending.error} />;
  return (
    <div class="notice" role="status">
      <p>
        {textOf(account, pending.data, isDone)} <a href={`/console/accounts/${account.id}`}>{account.name}</a>
      </p>
      {isDone && pending.data !== undefined && pending.data > 0 && (
        <p class="hint">{text.inBackground(pending.data)}</p>
      )}
    </div>
  );
}

function textOf(
  { eventCount, externalId }: AttachedAccount,
  pendingCount = eventCount,
  isDone: boolean,
): string {
  const count = Math.max(0, eventCount - pendingCount);
  if (pendingCount === 0) return text.attached(eventCount, externalId);
  if (isDone || count > 0) return text.attachedPart(count, eventCount, externalId);
  return text.attaching(eventCount, externalId);
}

/** The first click on a heading shows the first ids, the largest counts and the latest times. */
const columns: readonly Column<UnmatchedEntry>[] = [
  {
    title: text.id,
    sortBy: "externalId",
    isHeading: true,
    cell: ({ externalId }) => <code>{externalId}</code>,
  },
  {
    title: text.events,
    sortBy: "count",
    firstOrder: "desc",
    isNumber: true,
    cell: ({ count }) => formatCount(count),
  },
  {
    title: text.firstEvent,
    sortBy: "firstAt",
    firstOrder: "desc",
    class: "wide-only",
    cell: ({ firstAt }) => <Age timestamp={firstAt} />,
  },
  {
    title: text.lastEvent,
    sortBy: "lastAt",
    firstOrder: "desc",
    cell: ({ lastAt }) => <Age timestamp={lastAt} />,
  },
];

/** The external ids of events that no account has, with the ways to give them one. */
export function UnmatchedPage() {
  const view = readView(usePlace().query, unmatchedParameters);
  const search = useDebounced(view.search);
  const list = useCursorList(
    (page, signal) => readUnmatchedIds({ ...view, search }, page, signal),
    [search, view.sortBy, view.sortOrder],
    50,
  );
  const [open, setOpen] = useState<{ action: "create" | "link"; entry: UnmatchedEntry }>();
  const [attached, setAttached] = useState<AttachedAccount>();
  const close = () => setOpen(undefined);
  const { can } = useSession();
  const actions = actionColumn<UnmatchedEntry>((entry) => [
    {
      text: text.create,
      label: text.createFor(entry.externalId),
      run: () => setOpen({ action: "create", entry }),
    },
    {
      text: text.link,
      label: text.linkFor(entry.externalId),
      run: () => setOpen({ action: "link", entry }),
    },
  ]);
  const onAttached = (account: AttachedAccount) => {
    setAttached(account);
    list.reload();
  };
  return (
    <>
      <PageTitle title={text.title}>
        <SearchInput label={text.find} />
      </PageTitle>
      <p class="hint lead">{text.lead}</p>
      {attached && <AttachNotice key={attached.externalId} account={attached} />}
      <section class="card" aria-label={text.ids}>
        <LoadedTable
          name={text.ids}
          list={list}
          height={20}
          empty={
            search === "" ? (
              <Empty title={text.none} advice={text.noneHint} />
            ) : (
              <Empty title={text.noneFound} advice={text.noneFoundHint} />
            )
          }
          class="records stacking"
          columns={can("write") ? [...columns, actions] : columns}
          keyOf={({ externalId }) => externalId}
          order={view}
          onOrder={setQuery}
        />
      </section>
      {open?.action === "create" && (
        <CreateDialog entry={open.entry} onAttached={onAttached} onClose={close} />
      )}
      {open?.action === "link" && <LinkDialog entry={open.entry} onAttached={onAttached} onClose={close} />}
    </>
  );
}
