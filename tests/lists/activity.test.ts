import { expect, test } from "bun:test";
import { type Body, beginning, world } from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a row of any list.
type Listed = any;

const accounts = "/api/v1/accounts";
const minute = 60_000;
const at = (minutes: number) => new Date(beginning - minutes * minute).toISOString();

/** Accounts whose contact activity has each source, in the order of its time; the last has none. */
async function activityWorld() {
  const here = await world();
  const { call, account } = here;
  const send = async (method: string, path: string, body: Body) => {
    const reply = await call(method, path, body);
    if (reply.status >= 300) throw new Error(reply.text);
  };
  const setByApi = (id: number, minutes: number | null) =>
    send("PATCH", `${accounts}/${id}`, { contactActivityAt: minutes === null ? null : at(minutes) });
  const seen = (accountId: number, minutes: number, source = "crm") =>
    send("POST", "/api/v1/last-seen", { items: [{ accountId, source, lastSeenAt: at(minutes) }] });
  const event = (accountId: number, minutes: number) =>
    send("POST", "/api/v1/events", { event: "login", accountId, timestamp: at(minutes) });
  const ids: number[] = [];
  for (const name of ["api", "seen", "two platforms", "event", "all", "none"])
    ids.push((await account({ name })).id);
  const [api = 0, platform = 0, platforms = 0, events = 0, all = 0, none = 0] = ids;
  await setByApi(api, 60);
  await seen(platform, 50);
  await seen(platforms, 45);
  await seen(platforms, 40, "support");
  await event(events, 35);
  await event(events, 30);
  await event(all, 1);
  await seen(all, 2);
  await setByApi(all, 20);
  const names = async (query: Record<string, string>): Promise<string[]> => {
    const { status, text, body } = await call("GET", `${accounts}?${new URLSearchParams(query)}`);
    if (status !== 200) throw new Error(text);
    return body.data.map(({ name }: Listed) => name);
  };
  return { ...here, setByApi, seen, event, names, ids: { api, platform, platforms, events, all, none } };
}

test("contactActivityAt sorts and filters by the activity that health shows, of all sources", async () => {
  const { call, names, ids } = await activityWorld();
  const inOrder = ["api", "seen", "two platforms", "event", "all", "none"];
  const sortBy = "contactActivityAt";
  expect(await names({ sortBy })).toEqual(inOrder);
  expect(await names({ sortBy, sortOrder: "desc" })).toEqual(inOrder.toReversed());
  const shown = [];
  for (const id of Object.values(ids))
    shown.push((await call("GET", `${accounts}/${id}/health`)).body.data.contactActivity.at);
  expect(shown).toEqual([at(60), at(50), at(40), at(30), at(20), null]);
  for (const [query, wanted] of [
    [{ [sortBy]: "none" }, ["none"]],
    [{ [`${sortBy}[lt]`]: at(40) }, ["api", "seen"]],
    [{ [`${sortBy}[lte]`]: at(40) }, ["api", "seen", "two platforms"]],
    [{ [`${sortBy}[gt]`]: at(30) }, ["all"]],
    [{ [`${sortBy}[gte]`]: "0001-01-01" }, inOrder.slice(0, 5)],
    [{ [`${sortBy}[lt]`]: "9999-12-31" }, inOrder.slice(0, 5)],
    [{ [sortBy]: at(50) }, ["seen"]],
    [{ [`${sortBy}[in]`]: `${at(60)},${at(20)}` }, ["api", "all"]],
    [{ [sortBy]: "none", [`${sortBy}[gt]`]: at(60) }, []],
    [{ [`${sortBy}[lt]`]: at(25), search: "e" }, ["event", "seen"].toSorted()],
  ] as [Record<string, string>, string[]][]) {
    const order = query.search ? {} : { sortBy };
    expect([query, await names({ ...query, ...order })]).toEqual([query, wanted]);
  }
});

test("contactActivityAt follows a change of any source, also an event that leaves the score as it is", async () => {
  const { names, setByApi, seen, event, pass, ids } = await activityWorld();
  const latest = async () => (await names({ sortBy: "contactActivityAt", sortOrder: "desc" }))[1];
  expect(await latest()).toBe("all");
  await event(ids.events, 15);
  expect(await latest()).toBe("event");
  await event(ids.events, 14);
  await event(ids.events, 40);
  expect(await names({ contactActivityAt: at(14) })).toEqual(["event"]);
  // The API has priority over later events, a platform has none.
  await event(ids.api, 3);
  expect(await names({ "contactActivityAt[gt]": at(14) })).toEqual([]);
  await event(ids.platform, 12);
  expect(await latest()).toBe("seen");
  await event(ids.platforms, 13);
  await seen(ids.platforms, 10);
  expect(await latest()).toBe("two platforms");
  await setByApi(ids.api, null);
  expect(await names({ contactActivityAt: at(3) })).toEqual(["api"]);
  await setByApi(ids.all, null);
  expect(await names({ contactActivityAt: at(1) })).toEqual(["all"]);
  pass(minute);
  await event(ids.none, 0);
  expect((await names({ sortBy: "contactActivityAt" })).at(-1)).toBe("none");
  expect(await names({ contactActivityAt: "none" })).toEqual([]);
});

test("healthScore and tier filter and sort accounts by their scores; those without one are found by none", async () => {
  const { call, names } = await activityWorld();
  const health: Listed[] = (await call("GET", "/api/v1/health")).body.data;
  const scored = health.filter(({ score }) => score !== null);
  expect([scored.length > 1, scored.length < health.length]).toEqual([true, true]);
  const inOrder = health.map(({ name }) => name);
  expect(await names({ sortBy: "healthScore" })).toEqual(inOrder);
  expect(await names({ sortBy: "healthScore", sortOrder: "desc" })).toEqual(inOrder.toReversed());
  const named = (matches: (row: Listed) => boolean) => health.filter(matches).map(({ name }) => name);
  const [{ score, tier }] = [scored.at(-1)];
  for (const [query, matches] of [
    [{ healthScore: "none" }, (row) => row.score === null],
    [{ healthScore: String(score) }, (row) => row.score === score],
    [{ "healthScore[lt]": String(score) }, (row) => row.score !== null && row.score < score],
    [{ "healthScore[lte]": "1000" }, (row) => row.score !== null],
    [{ "healthScore[gt]": String(score) }, (row) => row.score > score],
    [{ "healthScore[gte]": "-5" }, (row) => row.score !== null],
    [{ tier: "none" }, (row) => row.tier === null],
    [{ tier }, (row) => row.tier === tier],
    [{ tier: "healthy,attention,at_risk,critical" }, (row) => row.tier !== null],
    [{ tier: `none,${tier}` }, (row) => row.tier === null || row.tier === tier],
  ] as [Record<string, string>, (row: Listed) => boolean][])
    expect([query, await names({ ...query, sortBy: "healthScore" })]).toEqual([query, named(matches)]);
});
