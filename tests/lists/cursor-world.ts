import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Body, type Reply, world } from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a row of any list.
type Listed = any;

/** Every list that takes a cursor: its path, and its sort columns. */
export const lists: { path: string; sortBy: string[] }[] = [
  { path: "/api/v1/accounts", sortBy: ["name", "mrr", "createdAt", "updatedAt"] },
  { path: "/api/v1/accounts/1/contacts", sortBy: ["name", "createdAt", "updatedAt"] },
  {
    path: "/api/v1/accounts/1/meetings",
    sortBy: ["startAt", "endAt", "title", "createdAt", "updatedAt"],
  },
  {
    path: "/api/v1/accounts/1/requests",
    sortBy: ["requestedAt", "severity", "title", "createdAt", "updatedAt"],
  },
  { path: "/api/v1/requests", sortBy: ["requestedAt", "severity", "title", "createdAt", "updatedAt"] },
  { path: "/api/v1/health", sortBy: ["score", "mrr", "name"] },
  { path: "/api/v1/events/unmatched", sortBy: ["externalId", "count", "firstAt", "lastAt"] },
  { path: "/api/v1/accounts/1/usage", sortBy: [] },
  { path: "/api/v1/usage", sortBy: [] },
  { path: "/api/v1/accounts/1/history", sortBy: [] },
];

/** Rows in every list, many with equal sort values, and one row in each list of another organization. */
export async function cursorWorld() {
  const here = await world();
  const { call, account, second, pass } = here;
  const post = async (path: string, body: Body, key?: string) => {
    const reply = await call("POST", path, body, key ? { key } : {});
    if (reply.status >= 300) throw new Error(`rejected: ${reply.text}`);
    return reply.body.data;
  };
  const addRows = async (id: number, i: number, key?: string) => {
    const below = `/api/v1/accounts/${id}`;
    const day = `2025-12-0${1 + (i % 3)}T00:00:00Z`;
    await post(`${below}/contacts`, { name: `N ${i % 3}`, email: `e${i}@x.io` }, key);
    await post(`${below}/meetings`, { title: `T ${i % 2}`, startAt: day, endAt: `2025-12-1${i % 2}` }, key);
    await post(`${below}/requests`, { title: `T ${i % 3}`, severity: 1 + (i % 2), requestedAt: day }, key);
    const events = [
      { event: `e${i % 4}`, accountId: id, timestamp: `2026-01-0${1 + (i % 2)}` },
      { event: "e", externalId: `u${i}`, timestamp: `2026-01-0${1 + (i % 2)}` },
    ];
    await post("/api/v1/events", { events }, key);
  };
  for (let i = 0; i < 9; i++) {
    await account({ name: `a ${i % 3}`, mrr: i % 2, ...(i % 3 === 0 && { status: "churned" }) });
    if (i % 2) pass(1);
  }
  for (let i = 0; i < 9; i++) {
    await addRows(i === 8 ? 2 : 1, i);
    if (i % 2) pass(1);
  }
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  await addRows(theirs.id, 1, second.key);
  await runDueJobs(here);
  const list = (path: string, query: Record<string, string>, key?: string): Promise<Reply> =>
    call("GET", `${path}?${new URLSearchParams(query)}`, undefined, key ? { key } : {});

  /** All rows of a list, read with cursors. */
  async function readAll(path: string, query: Record<string, string>): Promise<Listed[]> {
    const rows: Listed[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, text, body }: Reply = await list(path, { pageSize: "2", ...query, cursor });
      if (status !== 200) throw new Error(text);
      rows.push(...body.data);
      cursor = body.pagination.nextCursor;
    }
    return rows;
  }
  return { ...here, list, readAll };
}
