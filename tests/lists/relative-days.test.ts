import { expect, test } from "bun:test";
import { type Body, type Reply, world } from "../support/world.ts";

const day = 86_400_000;

/** The beginning of the UTC day in `days` days. */
const dayAt = (now: number, days: number) => new Date((Math.floor(now / day) + days) * day).toISOString();

async function meetingsWorld() {
  const here = await world();
  await here.account({ name: "Acme" });
  const find = async (query: string): Promise<{ titles: string[]; nextCursor: string }> => {
    const reply = await here.call("GET", `/api/v1/meetings?sortBy=startAt&${query}`);
    if (reply.status !== 200) throw new Error(reply.text);
    return { titles: reply.body.data.map(({ title }: Body) => title), ...reply.body.pagination };
  };
  for (const days of [-31, -30, -1, 0, 1, 90]) {
    const startAt = dayAt(here.now(), days);
    await here.call("POST", "/api/v1/accounts/1/meetings", { title: `${days}`, startAt, endAt: startAt });
  }
  return { ...here, find };
}

test("relative days are the first millisecond of the UTC day, in every operator of a timestamp", async () => {
  const { find, pass, now } = await meetingsWorld();
  // Late on the same day.
  pass(day - (now() % day) - 1);
  for (const [filter, titles] of [
    ["startAt[lt]=-30d", ["-31"]],
    ["startAt[lte]=-30d", ["-31", "-30"]],
    ["startAt[gt]=today", ["1", "90"]],
    ["startAt[gte]=today", ["0", "1", "90"]],
    ["startAt[gte]=-1d&startAt[lte]=1d", ["-1", "0", "1"]],
    ["startAt[gt]=0d&startAt[lt]=90d", ["1"]],
    ["startAt=90d", ["90"]],
    [`startAt[in]=today,-31d,${dayAt(now(), 1)}`, ["-31", "0", "1"]],
    ["endAt[gte]=-99999d&endAt[lt]=99999d&startAt=today", ["0"]],
    ["updatedAt[gte]=-7d&startAt=today", ["0"]],
    ["updatedAt[lt]=-7d", []],
    ["updatedAt[gte]=1d", []],
  ] as const)
    expect([filter, (await find(filter)).titles]).toEqual([filter, [...titles]]);
  pass(1);
  expect((await find("startAt[gte]=today")).titles).toEqual(["1", "90"]);
});

test("the lists of accounts, contacts, requests and health take relative days", async () => {
  const { call, account, now } = await world();
  const total = async (path: string) => (await call("GET", path)).body.pagination.total;
  await account({ name: "Old" });
  await account({ name: "New" });
  await account({ name: "None" });
  for (const [id, days] of [
    [1, -31],
    [2, -3],
  ] as const) {
    const body = { contactActivityAt: dayAt(now(), days) };
    expect((await call("PATCH", `/api/v1/accounts/${id}`, body)).status).toBe(200);
  }
  const accounts = "/api/v1/accounts?contactActivityAt";
  expect(await total(`${accounts}[lt]=-30d`)).toBe(1);
  expect(await total(`${accounts}[gte]=-30d`)).toBe(1);
  expect(await total(`${accounts}=none`)).toBe(1);
  expect(await total("/api/v1/health?updatedAt[gte]=today")).toBe(3);
  await call("POST", "/api/v1/accounts/1/contacts", { name: "Ada" });
  await call("POST", "/api/v1/accounts/1/requests", { title: "Dark mode" });
  expect(await total("/api/v1/contacts?updatedAt[gte]=today")).toBe(1);
  expect(await total("/api/v1/contacts?lastSeenAt[lt]=1d")).toBe(0);
  expect(await total("/api/v1/requests?requestedAt[lt]=1d&resolvedAt=none")).toBe(1);
  const csv = (await call("GET", "/api/v1/accounts.csv?contactActivityAt[lt]=-30d")).text;
  expect(csv.trim().split("\n").length).toBe(2);
});

test("a cursor keeps the day of its first page", async () => {
  const { find, pass, call } = await meetingsWorld();
  const filter = "startAt[gte]=-1d&pageSize=1";
  const first = await find(`${filter}&cursor=`);
  pass(2 * day);
  const titles = [...first.titles];
  for (let cursor: string | null = first.nextCursor; cursor !== null; ) {
    const page = await find(`${filter}&cursor=${cursor}`);
    titles.push(...page.titles);
    cursor = page.nextCursor;
  }
  expect(titles).toEqual(["-1", "0", "1", "90"]);
  expect((await find(`${filter}&cursor=`)).titles).toEqual(["1"]);
  const list = (query: string): Promise<Reply> => call("GET", `/api/v1/meetings?sortBy=startAt&${query}`);
  const [number, position] = first.nextCursor.split(".");
  const invalid = { status: 400, body: { code: "invalid_cursor" } };
  // Another day, without the day, with zeros before it, and in a list without relative days.
  for (const query of [
    `${filter}&cursor=${Number(number) + 1}.${position}`,
    `${filter}&cursor=${position}`,
    `${filter}&cursor=0${number}.${position}`,
    `${filter}&cursor=${number}.${number}.${position}`,
    `${filter}&cursor=${number}.`,
    `pageSize=1&cursor=${first.nextCursor}`,
    `startAt[gte]=today&pageSize=1&cursor=${first.nextCursor}`,
  ])
    expect([query, await list(query)]).toMatchObject([query, invalid]);
  const { nextCursor } = await find("pageSize=1&cursor=");
  expect(await list(`${filter}&cursor=${number}.${nextCursor}`)).toMatchObject(invalid);
  expect(await list(`pageSize=1&cursor=${number}.${nextCursor}`)).toMatchObject(invalid);
});

test("another text is 400 with what is allowed; other parameters take no relative days", async () => {
  const { call } = await world();
  for (const text of [
    "30",
    "d",
    "-d",
    "+30d",
    " 30d",
    "30D",
    "03d",
    "1.5d",
    "100000d",
    "30 d",
    "Today",
    "30d ",
    "yesterday",
  ])
    for (const operator of ["", "[lt]", "[in]"]) {
      const parameter = `updatedAt${operator}`;
      const { status, body } = await call(
        "GET",
        `/api/v1/accounts?${new URLSearchParams({ [parameter]: text })}`,
      );
      const detail = expect.stringContaining("or a day such as today, 7d (in 7 days) or -30d");
      expect([text, status, body.errors]).toEqual([
        text,
        400,
        [{ parameter, code: "invalid_timestamp", detail }],
      ]);
    }
  const { id } = (await call("POST", "/api/v1/accounts", { name: "Acme" })).body.data;
  const patch = await call("PATCH", `/api/v1/accounts/${id}`, { contactActivityAt: "-30d" });
  expect([patch.status, patch.body.errors[0].code]).toEqual([400, "invalid_timestamp"]);
  expect((await call("GET", "/api/v1/accounts?mrr=30d")).status).toBe(400);
});
