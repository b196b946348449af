import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { organizations } from "../../db/schema.ts";
import { select } from "../../db/statements.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const slow = `${accounts}?search=a&sortBy=mrr`;

const endlessCount = select("tests.slowReads.endless", {
  fields: {
    count: sql<number>`(with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e12) select count(*) from n)`,
  },
  from: organizations,
});

/** A service with one reader, and one account in each organization. */
async function slowWorld() {
  const here = await world({ readWorkers: 1 });
  await here.account({ name: "Acme" });
  await here.account({ name: "Acme" }, { key: here.second.key });
  return here;
}

test("the waiting reads of clients that disconnect make room for others", async () => {
  const { app, engine, first, second } = await slowWorld();
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
  closeAfterTest(() => server.stop(true));
  const running = new AbortController();
  const begun = Promise.withResolvers<void>();
  const blocking = engine.read(
    async (snapshot) => {
      begun.resolve();
      return snapshot.first(endlessCount, {});
    },
    { place: "reader", organizationId: second.id, signal: () => running.signal },
  );
  const ended = blocking.catch((error: unknown) => error);
  await begun.promise;
  const clients = new AbortController();
  const send = (signal?: AbortSignal) =>
    fetch(new URL(slow, server.url), { headers: { "x-api-key": first.key }, signal: signal ?? null }).then(
      ({ status }) => status,
      () => "disconnected",
    );
  const statuses: unknown[] = [];
  const waiting = Array.from({ length: 40 }, async () => void statuses.push(await send(clients.signal)));
  while (statuses.length < 8) await Bun.sleep(10);
  expect(statuses).toEqual(Array(8).fill(503));
  clients.abort();
  await Promise.all(waiting);
  expect(statuses.slice(8)).toEqual(Array(32).fill("disconnected"));
  await Bun.sleep(100);
  const later = send();
  await Bun.sleep(100);
  running.abort();
  expect(await later).toBe(200);
  expect(await ended).toBeInstanceOf(Error);
});

test("fast reads, writes and probes do not wait for slow reads", async () => {
  const { call } = await slowWorld();
  const order: string[] = [];
  const send = async (name: string, ...request: Parameters<typeof call>) => {
    const { status } = await call(...request);
    order.push(`${name} ${status}`);
  };
  const first = Array.from({ length: 30 }, () => send("slow", "GET", slow));
  await Promise.all([
    ...first,
    send("livez", "GET", "/livez"),
    send("readyz", "GET", "/readyz"),
    send("get", "GET", `${accounts}/1`),
    send("list", "GET", accounts),
  ]);
  const others = order.filter((entry) => !entry.startsWith("slow"));
  expect(others.toSorted()).toEqual(["get 200", "list 200", "livez 200", "readyz 200"]);
  expect(order.slice(0, 4).toSorted()).toEqual(others.toSorted());
  expect(order).toHaveLength(34);
});

test("an exact external id, the first page of a list and the health of an account by day are fast reads", async () => {
  const { call, account } = await slowWorld();
  for (const plan of ["free", "pro", "team"])
    await account({ name: "Globex", externalId: plan, attributes: { plan, seats: 5 } });
  for (const status of ["Open", "Done"])
    await call("POST", `${accounts}/1/requests`, { title: "SSO", status });
  const fast = [
    `${accounts}?externalId=pro`,
    ...["name", "mrr", "createdAt", "updatedAt"].map((column) => `${accounts}?sortBy=${column}`),
    `${accounts}?status=churned&sortBy=mrr`,
    "/api/v1/health",
    `${accounts}/1/health/history`,
    `${accounts}/1`,
  ];
  // No further slow read of the organization is accepted, unless one ended before all had begun: then it is repeated.
  const paths = [...Array<string>(33).fill(slow), ...fast, slow];
  let statuses: number[] = [];
  for (let run = 0; run < 5 && statuses.at(-1) !== 503; run += 1)
    statuses = await Promise.all(paths.map(async (path) => (await call("GET", path)).status));
  const refused = paths.filter((_, i) => statuses[i] === 503);
  expect(new Set(refused)).toEqual(new Set([slow]));
});

test.each([
  ["the summary of health", "/api/v1/health/summary"],
  ["the ranking of accounts by usage", "/api/v1/usage/accounts"],
  ["the summary of changes", "/api/v1/changes/summary?from=2000-01-01"],
  ["the list of attributes", "/api/v1/attributes"],
  [
    "a list in the order of an attribute of which some values match",
    `${accounts}?sortBy=attributes.seats&attributes.seats[in]=1,9&cursor=`,
  ],
])("%s is a slow read", async (_, path) => {
  const { call, account } = await slowWorld();
  for (const seats of [1, 5, 9]) await account({ name: "Globex", attributes: { seats } });
  const sendAll = async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, () => call("GET", path)));
    return replies.filter(({ status }) => status !== 200).map(({ body }) => body.code);
  };
  let rejected = await sendAll();
  for (let run = 1; run < 5 && rejected.length === 0; run += 1) rejected = await sendAll();
  expect([...new Set(rejected)]).toEqual(["too_busy"]);
});
