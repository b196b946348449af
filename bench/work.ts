import type { Data, Org } from "./data.ts";
import { accountsOfBatch, type BenchRequest, eventsOfRequest, requests } from "./requests.ts";

/** The organizations of the data, without its files. */
export type Organizations = Pick<Data, "organizations">;

/** A requirement of accountd in a work; the figures are for the full data. */
export type Requirement =
  | { atLeast: number; of: string }
  | { perSecond: number }
  | { p99: number }
  | { p999: number }
  /** The maximum ratio of the cost to that of another work. */
  | { within: number; ofWork: string }
  /** A figure in the unit of its row, such as milliseconds. */
  | { atMost: number };

export type Work = {
  name: string;
  title: string;
  /** Sent concurrently. The figures are those of the last stream, the failures those of all. */
  streams: { connections: number; request: (n: number) => BenchRequest }[];
  requirements: Requirement[];
  /** The number of items in a request; 1 by default. */
  each?: number;
  /** The expected number of rows, checked once before the measurement. */
  rows?: number;
  /** Requests are sent at half of the rate that the server reaches, whether or not earlier ones have a reply. */
  isOpenLoop?: boolean;
  /** Only accountd supports it. */
  accountdOnly?: boolean;
  /** No earlier version supports it. */
  isNew?: boolean;
  /** Each flush of the database server takes 1 ms longer. */
  hasSlowFlush?: boolean;
};

/** The works in their order: those that change the data are last. */
export function works({ organizations: { large } }: Organizations): Work[] {
  const farPage = large.accounts / 100;
  const { frequent, rare, absent, letter } = large.needles;
  const search = (kind: string, needle: string, ...more: Requirement[]): Work => ({
    name: `search-${kind}`,
    title: `search, ${kind} (${needle})`,
    streams: [{ connections: 1, request: () => requests.search(large, needle) }],
    requirements: [{ atLeast: 12, of: "fastify-full" }, { p99: 12 }, ...more],
  });
  const create = (connections: number, ...requirements: Requirement[]): Work => ({
    name: `create-${connections}`,
    title: `create, ${connections} connection${connections === 1 ? "" : "s"}`,
    streams: [{ connections, request: (n) => requests.create(large, n, `c${connections}`) }],
    requirements,
  });
  return [
    one("get", "get one, with its lists", 32, (n) => requests.getOne(large, n), [
      { atLeast: 1.8, of: "fastify-full" },
      { atLeast: 0.7, of: "floor" },
    ]),
    one("list", "list page 1, with total", 32, () => requests.list(large), [
      { atLeast: 15, of: "fastify-full" },
      { atLeast: 0.6, of: "floor" },
    ]),
    one("far-page", `list page ${farPage.toLocaleString("en")}`, 32, () => requests.list(large, farPage), [
      { within: 6, ofWork: "list" },
    ]),
    one("rare-status", "list a rare status by MRR", 32, () => requests.rareStatus(large), [
      { within: 2, ofWork: "list" },
    ]),
    search("frequent", frequent),
    search("rare", rare, { atLeast: 50, of: "fastify-full" }),
    search("absent", absent),
    search("letter", letter),
    {
      name: "get-beside-search",
      title: "get one while 4 others search",
      streams: [
        { connections: 4, request: () => requests.search(large, frequent) },
        { connections: 4, request: (n) => requests.getOne(large, n) },
      ],
      requirements: [{ p99: 15 }],
    },
    {
      ...one("health", "list by health", 8, () => requests.health(large), [{ p99: 50 }]),
      accountdOnly: true,
    },
    one("sort-mrr", "list by MRR", 8, () => requests.listBy(large, "sortBy=mrr"), []),
    ...newLists(large),
    create(1, { atLeast: 1, of: "fastify-full" }),
    create(8),
    create(64, { atLeast: 8, of: "fastify-full" }, { atLeast: 2, of: "fastify-normal" }),
    one("update", "update, 8 connections", 8, (n) => requests.update(large, n), []),
    one("mix", "mix of reads and writes", 16, (n) => requests.mix(large, n), [{ p99: 30 }]),
    {
      ...one("open-mix", "mix at half of the rate", 64, (n) => requests.openMix(large, n), [
        { p99: 10 },
        { p999: 20 },
      ]),
      isOpenLoop: true,
    },
    {
      ...one("events", "usage events, by the 100", 8, (n) => requests.events(large, n), [
        { perSecond: 40_000 },
        { atLeast: 10, of: "fastify-each" },
      ]),
      each: eventsOfRequest,
    },
    newBatch("upsert", "upsert of accounts, by the 1,000", (n) => requests.upsert(large, n)),
    newBatch("batch", "batch of creates, by the 1,000", (n) => requests.batch(large, n)),
  ];
}

function newBatch(name: string, title: string, make: (n: number) => BenchRequest): Work {
  const work = one(name, title, 4, make, [{ perSecond: 30_000 }]);
  return { ...work, each: accountsOfBatch, accountdOnly: true, isNew: true };
}

/** The filters by operators, each in two orders: a part of the accounts matches. */
const filters = {
  mrr: "mrr[gte]=1000&mrr[lt]=2000",
  createdAt: "createdAt[gte]=2023-01-01",
  contactActivityAt: "contactActivityAt[lt]=2025-01-01",
  healthScore: "healthScore[gte]=30",
  status: "status=active,churned",
};

/** Orders and filters by the attributes of `fillAttributes`: a quarter of the accounts matches, or one of a thousand. */
const attributeQueries = {
  "sort-attribute": "sortBy=attributes.seats",
  "sort-attribute-text": "sortBy=attributes.plan&sortOrder=desc",
  "filter-attribute": "attributes.plan=pro&sortBy=mrr",
  "filter-attribute-few": "attributes.seats=500&sortBy=mrr",
  "filter-attribute-range": "attributes.seats[gte]=500&sortBy=attributes.seats",
};

function newLists(org: Org): Work[] {
  const list = (name: string, title: string, query: string): Work => ({
    ...one(name, title, 8, () => requests.listBy(org, query), [{ within: 1.5, ofWork: "sort-mrr" }]),
    accountdOnly: true,
    isNew: true,
    rows: 25,
  });
  const sorts = ["contactActivityAt", "healthScore"].map((sortBy) =>
    list(`sort-${sortBy}`, `list by ${sortBy}`, `sortBy=${sortBy}`),
  );
  const filtered = Object.entries(filters).flatMap(([name, query]) =>
    ["mrr", "name"].flatMap((sortBy) => [
      list(`filter-${name}-${sortBy}`, `filter ${name}, by ${sortBy}`, `${query}&sortBy=${sortBy}`),
      list(
        `cursor-${name}-${sortBy}`,
        `filter ${name}, by ${sortBy}, cursor`,
        `${query}&sortBy=${sortBy}&cursor=`,
      ),
    ]),
  );
  const byAttributes = Object.entries(attributeQueries).flatMap(([name, query]) => [
    list(name, `list, ${query}`, query),
    list(`${name}-cursor`, `list, ${query}, cursor`, `${query}&cursor=`),
  ]);
  return [...sorts, ...filtered, ...byAttributes];
}

/** Reads of organizations, each ten times larger than the previous one. The name ends in the number of accounts. */
export function growthWorks({ organizations: { growth } }: Organizations): Work[] {
  const of = (kind: string, title: string, make: (org: Org, n: number) => BenchRequest, from = 0): Work[] =>
    growth
      .filter(({ accounts }) => accounts >= from)
      .map((org) => {
        const name = `${kind}@${org.accounts}`;
        const connections = kind.startsWith("search") ? 1 : 8;
        return one(name, title, connections, (n) => make(org, n), []);
      });
  const farPage = (growth[2]?.accounts ?? 0) / 100;
  const works = [
    of("get", "get one", requests.getOne),
    of("list", "list page 1", (org) => requests.list(org)),
    of("far-page", `list page ${farPage}`, (org) => requests.list(org, farPage), farPage * 25),
    of("rare-status", "list a rare status", requests.rareStatus),
    of("search-frequent", "search, frequent", (org) => requests.search(org, org.needles.frequent)),
    of("search-rare", "search, rare", (org) => requests.search(org, org.needles.rare)),
  ].flat();
  const largest = growth.at(-1)?.accounts;
  for (const work of works)
    if (work.name === `list@${largest}`)
      work.requirements.push({ within: 1.3, ofWork: `list@${growth[0]?.accounts}` });
  return works;
}

function one(
  name: string,
  title: string,
  connections: number,
  make: (n: number) => BenchRequest,
  requirements: Requirement[],
): Work {
  return { name, title, streams: [{ connections, request: make }], requirements };
}
