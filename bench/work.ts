import { type Asked, asked, eventsOfRequest } from "./asked.ts";
import type { Data, Org } from "./data.ts";

/** What is demanded of accountd in a work; the figures are for the full data. */
export type Demand =
  | { atLeast: number; of: string }
  | { perSecond: number }
  | { p99: number }
  /** At most so many times what another work costs. */
  | { within: number; ofWork: string }
  /** A figure in the unit of its row, such as milliseconds. */
  | { atMost: number };

export type Work = {
  name: string;
  title: string;
  /** Sent at once; the figures are the last one's, and what failed is that of all. */
  streams: { connections: number; asked: (n: number) => Asked }[];
  demands: Demand[];
  /** How many things a request stands for; else one. */
  each?: number;
  /** For accountd alone: the others have no such thing. */
  accountdOnly?: boolean;
};

/** The works in the order in which they are done: those that change the data come last. */
export function works({ organizations: { large } }: Data): Work[] {
  const farPage = large.accounts / 100;
  const { frequent, rare, absent, letter } = large.needles;
  const search = (kind: string, needle: string, ...more: Demand[]): Work => ({
    name: `search-${kind}`,
    title: `search, ${kind} (${needle})`,
    streams: [{ connections: 1, asked: () => asked.search(large, needle) }],
    demands: [{ atLeast: 12, of: "fastify-full" }, { p99: 12 }, ...more],
  });
  const create = (connections: number, ...demands: Demand[]): Work => ({
    name: `create-${connections}`,
    title: `create, ${connections} connection${connections === 1 ? "" : "s"}`,
    streams: [{ connections, asked: (n) => asked.create(large, n, `c${connections}`) }],
    demands,
  });
  return [
    one("get", "get one, with its lists", 32, (n) => asked.getOne(large, n), [
      { atLeast: 1.8, of: "fastify-full" },
      { atLeast: 0.7, of: "floor" },
    ]),
    one("list", "list page 1, with total", 32, () => asked.list(large), [
      { atLeast: 15, of: "fastify-full" },
      { atLeast: 0.6, of: "floor" },
    ]),
    one("far-page", `list page ${farPage.toLocaleString("en")}`, 32, () => asked.list(large, farPage), [
      { within: 6, ofWork: "list" },
    ]),
    one("rare-status", "list a rare status by MRR", 32, () => asked.rareStatus(large), [
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
        { connections: 4, asked: () => asked.search(large, frequent) },
        { connections: 4, asked: (n) => asked.getOne(large, n) },
      ],
      demands: [{ p99: 15 }],
    },
    { ...one("health", "list by health", 8, () => asked.health(large), [{ p99: 50 }]), accountdOnly: true },
    create(1, { atLeast: 1, of: "fastify-full" }),
    create(8),
    create(64, { atLeast: 8, of: "fastify-full" }, { atLeast: 2, of: "fastify-normal" }),
    one("update", "update, 8 connections", 8, (n) => asked.update(large, n), []),
    one("mix", "mix of reads and writes", 16, (n) => asked.mix(large, n), []),
    {
      ...one("events", "usage events, by the 100", 8, (n) => asked.events(large, n), [
        { perSecond: 40_000 },
        { atLeast: 10, of: "fastify-each" },
      ]),
      each: eventsOfRequest,
    },
  ];
}

/** The reads of organizations that are ten times larger each time; the name ends in the number of accounts. */
export function growthWorks({ organizations: { growth } }: Data): Work[] {
  const of = (kind: string, title: string, make: (org: Org, n: number) => Asked, from = 0): Work[] =>
    growth
      .filter(({ accounts }) => accounts >= from)
      .map((org) => {
        const name = `${kind}@${org.accounts}`;
        const connections = kind.startsWith("search") ? 1 : 8;
        return one(name, title, connections, (n) => make(org, n), []);
      });
  const farPage = (growth[2]?.accounts ?? 0) / 100;
  const works = [
    of("get", "get one", asked.getOne),
    of("list", "list page 1", (org) => asked.list(org)),
    of("far-page", `list page ${farPage}`, (org) => asked.list(org, farPage), farPage * 25),
    of("rare-status", "list a rare status", asked.rareStatus),
    of("search-frequent", "search, frequent", (org) => asked.search(org, org.needles.frequent)),
    of("search-rare", "search, rare", (org) => asked.search(org, org.needles.rare)),
  ].flat();
  const largest = growth.at(-1)?.accounts;
  for (const work of works)
    if (work.name === `list@${largest}`)
      work.demands.push({ within: 1.3, ofWork: `list@${growth[0]?.accounts}` });
  return works;
}

function one(
  name: string,
  title: string,
  connections: number,
  make: (n: number) => Asked,
  demands: Demand[],
): Work {
  return { name, title, streams: [{ connections, asked: make }], demands };
}
