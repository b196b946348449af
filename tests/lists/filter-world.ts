import { type Body, type Reply, world } from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a row of any list.
export type FilteredRow = any;

const day = (i: number) => `2025-12-${String(1 + i).padStart(2, "0")}T00:00:00.000Z`;
const statuses = ["active", "onboarding", "churned", "inactive"];
const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"];

/** Twelve rows in every list, with equal values, rows without a value, and rows of another organization. */
export async function filterWorld() {
  const here = await world();
  const { call, account, second, pass } = here;
  const send = async (method: string, path: string, body: Body, key?: string) => {
    const reply = await call(method, path, body, key ? { key } : {});
    if (reply.status >= 300) throw new Error(`rejected: ${reply.text}`);
    return reply.body.data;
  };
  async function fill(key?: string): Promise<void> {
    for (let i = 0; i < 12; i++) {
      const externalId = i % 3 === 0 ? {} : { externalId: i === 1 ? "a,b" : `x${i}` };
      const mrr = [-2.5, 0, 0, 100, 100.25, 1e21][i % 6];
      const options = key ? { key } : {};
      const { id } = await account({ name: `N ${i % 5}`, mrr, ...externalId }, options);
      await send("PATCH", `/api/v1/accounts/${id}`, { status: statuses[i % 4] }, key);
      if (i % 2) pass(1);
    }
    const [first] = (await call("GET", "/api/v1/accounts?sortBy=createdAt", undefined, key ? { key } : {}))
      .body.data;
    const below = `/api/v1/accounts/${first.id}`;
    for (let i = 0; i < 12; i++) {
      const common = i % 3 === 0 ? {} : { externalId: i === 1 ? "a,b" : `x${i}` };
      const email = i % 4 === 0 ? {} : { email: `P${i}@x.io` };
      await send("POST", `${below}/contacts`, { name: `N ${i % 5}`, ...common, ...email }, key);
      if (email.email && i % 3)
        await send(
          "POST",
          "/api/v1/last-seen",
          { items: [{ contactEmail: email.email, source: "crm", lastSeenAt: day(i % 5) }] },
          key,
        );
      const times = { startAt: day(i % 4), endAt: day(i % 4) };
      await send("POST", `${below}/meetings`, { title: `T ${i % 5}`, ...common, ...times }, key);
      const status = requestStatuses[i % 5];
      const request = { title: `T ${i % 5}`, severity: 1 + (i % 5), requestedAt: day(i % 6), status };
      await send("POST", `${below}/requests`, { ...request, ...common }, key);
      if (i % 2) pass(1);
    }
  }
  await fill();
  await fill(second.key);
  const list = (path: string, query: Record<string, string>): Promise<Reply> =>
    call("GET", `${path}?${new URLSearchParams(query)}`);
  const readAll = async (path: string, query: Record<string, string>): Promise<FilteredRow[]> => {
    const rows: FilteredRow[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, text, body }: Reply = await list(path, { pageSize: "3", ...query, cursor });
      if (status !== 200) throw new Error(text);
      rows.push(...body.data);
      cursor = body.pagination.nextCursor;
    }
    return rows;
  };
  return { ...here, list, readAll };
}

/** The status of an account in a list. */
export function statusOf({ active, churned, onboarding }: FilteredRow): string {
  if (active) return "active";
  if (churned) return "churned";
  return onboarding ? "onboarding" : "inactive";
}
