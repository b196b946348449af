import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const slow = `${accounts}?search=a&sortBy=mrr`;

/** A service with one account in each organization, in which every read that may be slow is one. */
async function slowWorld() {
  const here = await world({ maxLocalRows: 0, readWorkers: 1 });
  await here.account({ name: "Acme" });
  await here.account({ name: "Acme" }, { key: here.second.key });
  return here;
}

test("503 too_busy: 32 slow reads of the organization are waiting; another organization's are answered", async () => {
  const { call, second } = await slowWorld();
  const sendAll = async () => {
    const replies = Promise.all(Array.from({ length: 40 }, () => call("GET", slow)));
    const other = await call("GET", slow, undefined, { key: second.key });
    expect(other).toMatchObject({
      status: 200,
      body: { data: [{ name: "Acme" }], pagination: { total: 1 } },
    });
    return (await replies).filter(({ status }) => status !== 200);
  };
  // A read that ends before all have begun makes room for one more: then it is repeated.
  let rejected = await sendAll();
  for (let run = 1; run < 5 && rejected.length < 7; run += 1) rejected = await sendAll();
  expect(rejected).toHaveLength(7);
  for (const { status, body, headers } of rejected) {
    expect([status, body.code, headers.get("retry-after")]).toEqual([503, "too_busy", "1"]);
  }
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

test("an exact external id, the first page of a list, the health of an account, its history and the summary are fast reads", async () => {
  const { call, account } = await slowWorld();
  for (const plan of ["free", "pro", "team"])
    await account({ name: "Globex", externalId: plan, attributes: { plan, seats: 5 } });
  for (const status of ["Open", "Done"])
    await call("POST", `${accounts}/1/requests`, { title: "SSO", status });
  const fast = [
    `${accounts}?externalId=pro`,
    ...["name", "mrr", "createdAt", "updatedAt"].map((column) => `${accounts}?sortBy=${column}`),
    `${accounts}?sortBy=attributes.seats&pageSize=3`,
    `${accounts}?sortBy=attributes.plan&attributes.plan[gt]=free&attributes.plan[lt]=team&cursor=`,
    `${accounts}?status=churned&sortBy=mrr`,
    "/api/v1/health",
    "/api/v1/health/summary",
    `${accounts}/1/health`,
    `${accounts}/1/health/history`,
    `${accounts}/1`,
  ];
  // No further slow read of the organization is accepted, unless one ended before all had begun: then it is repeated.
  const paths = [...Array<string>(33).fill(slow), ...fast, slow];
  let statuses: number[] = [];
  for (let run = 0; run < 5 && statuses.at(-1) !== 503; run += 1)
    statuses = await Promise.all(paths.map(async (path) => (await call("GET", path)).status));
  expect(statuses).toEqual([...Array<number>(33 + fast.length).fill(200), 503]);
});

test.each([
  ["the ranking of accounts by usage", "/api/v1/usage/accounts"],
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

test("rows that are only summed are a slow read from ten times as many on", async () => {
  const { call, account } = await world({ maxLocalRows: 1, readWorkers: 1 });
  const meeting = { title: "Kickoff", startAt: "2026-01-01", endAt: "2026-01-01" };
  for (const count of [10, 11]) {
    const { id } = await account({ name: "Acme" });
    for (let i = 0; i < count; i += 1) await call("POST", `${accounts}/${id}/meetings`, meeting);
  }
  const paths = [...Array<string>(33).fill(slow), `${accounts}/1/health`, `${accounts}/2/health`];
  const sendAll = async () =>
    (await Promise.all(paths.map((path) => call("GET", path)))).map(({ status }) => status);
  let statuses = await sendAll();
  for (let run = 1; run < 5 && !statuses.includes(503); run += 1) statuses = await sendAll();
  expect(statuses[33]).toBe(200);
  // The health of account 2 is a slow read, so one of 34 is not accepted, in whatever order they begin.
  expect(statuses.filter((status) => status === 503)).toHaveLength(1);
});
