import type { Data, Org } from "./data.ts";
import { accountsOfBatch, type BenchRequest, changesOfPage, eventsOfRequest, requests } from "./requests.ts";

/** The organizations of the data, without its files. */
export type Organizations = Pick<Data, "organizations">;

export type Work = {
  name: string;
  title: string;
  /** Sent concurrently. The figures are those of the last stream, the failures those of all. */
  streams: { connections: number; request: (n: number) => BenchRequest }[];
  /** The number of items in a request; 1 by default. */
  each?: number;
  /** The expected number of rows, checked once before the measurement. */
  rows?: number;
  /** Only accountd supports it. */
  accountdOnly?: boolean;
  /** No earlier version supports it. */
  isNew?: boolean;
  /** Each flush of the database server takes 1 ms longer. */
  hasSlowFlush?: boolean;
};

/** The works in their order: those that change the data are last. */
export function works({ organizations: { large, medium } }: Organizations): Work[] {
  const farPage = Math.floor(large.accounts / 100);
  const { frequent, rare, absent } = large.needles;
  const search = (kind: string, needle: string) =>
    work(`search-${kind}`, `search, ${kind} (${needle})`, 1, () => requests.search(large, needle));
  const create = (connections: number) =>
    work(
      `create-${connections}`,
      `create, ${connections} connection${connections === 1 ? "" : "s"}`,
      connections,
      (n) => requests.create(large, n, `c${connections}`),
    );
  const events = (name: string, end: string, connections: number): Work => ({
    ...work(name, `usage events, by the 100${end}`, connections, (n) => requests.events(large, n)),
    each: eventsOfRequest,
  });
  return [
    work("get", "get one, with its lists", 32, (n) => requests.getOne(large, n)),
    work("list", "list page 1, with total", 32, () => requests.list(large)),
    work("far-page", `list page ${farPage.toLocaleString("en")}`, 32, () => requests.list(large, farPage)),
    work("rare-status", "list a rare status by MRR", 32, () => requests.rareStatus(large)),
    search("frequent", frequent),
    search("rare", rare),
    search("absent", absent),
    {
      ...work("get-beside-search", "get one while 4 others search", 4, (n) => requests.getOne(large, n)),
      streams: [
        { connections: 4, request: () => requests.search(large, frequent) },
        { connections: 4, request: (n) => requests.getOne(large, n) },
      ],
    },
    { ...work("health", "list by health", 8, () => requests.health(large)), accountdOnly: true },
    work("sort-mrr", "list by MRR", 8, () => requests.listBy(large, "sortBy=mrr")),
    ...filteredLists(large),
    {
      ...work("feed", "change feed, by the 1,000", 8, (n) => requests.feed(medium, n)),
      ...{ each: changesOfPage, rows: changesOfPage, accountdOnly: true, isNew: true },
    },
    create(1),
    create(64),
    work("update-1", "update, 1 connection", 1, (n) => requests.update(large, n)),
    work("update", "update, 8 connections", 8, (n) => requests.update(large, n)),
    work("mix", "mix of reads and writes", 16, (n) => requests.mix(large, n)),
    events("events-1", ", 1 connection", 1),
    events("events", "", 8),
    events("events-64", ", 64 connections", 64),
    {
      ...work("upsert", "upsert of accounts, by the 1,000", 4, (n) => requests.upsert(large, n)),
      ...{ each: accountsOfBatch, accountdOnly: true, isNew: true },
    },
  ];
}

/** Creates with 64 connections, as in `create-64`, whose external ids are new in each measurement on the same data. */
export function createAgain({ organizations: { large } }: Organizations): Work {
  const prefix = `again-${Date.now().toString(36)}`;
  return work("create-again", "create, 64 connections, again", 64, (n) => requests.create(large, n, prefix));
}

/** Filters by operators and by the attributes of `fillAttributes`, with a total and by cursor. */
function filteredLists(org: Org): Work[] {
  const filters = {
    mrr: "mrr[gte]=1000&mrr[lt]=2000&sortBy=name",
    status: "status=active,churned&sortBy=name",
    attribute: "attributes.plan=pro&sortBy=mrr",
    few: "attributes.seats=500&sortBy=mrr",
  };
  return Object.entries(filters).flatMap(([name, query]) =>
    ["", "&cursor="].map((cursor) => ({
      ...work(`${cursor ? "cursor" : "filter"}-${name}`, `list, ${query}${cursor}`, 8, () =>
        requests.listBy(org, query + cursor),
      ),
      ...{ accountdOnly: true, isNew: true, rows: 25 },
    })),
  );
}

function work(name: string, title: string, connections: number, make: (n: number) => BenchRequest): Work {
  return { name, title, streams: [{ connections, request: make }] };
}
