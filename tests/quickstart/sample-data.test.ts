import { expect, setDefaultTimeout, test } from "bun:test";
import { millisecondsOfDay as day, dayOf, formatDay, formatTimestamp } from "../../src/core/timestamps.ts";
import { seedCompanies } from "../../src/quickstart/seed.ts";
import { world } from "../support/world.ts";

setDefaultTimeout(60_000);

test("each sample account has an owner, a plan, a renewal within a year, two or three named contacts, some of them seen, and a revenue of 200 to 40,000, with a long tail", async () => {
  const { list, now } = await sampleCompanies();
  const accounts = await list("accounts?include=attributes");
  const people = await list("contacts");
  expect(people.filter(({ lastSeenAt }) => lastSeenAt !== null).length).toBeGreaterThan(100);
  const contacts = Map.groupBy(people, ({ accountId }) => accountId);
  expect(accounts).toHaveLength(503);
  for (const { id, name, attributes } of accounts) {
    expect([name, typeof attributes.owner]).toEqual([name, "string"]);
    expect(["Starter", "Growth", "Enterprise"]).toContain(attributes.plan);
    expect(Date.parse(attributes.renewalDate) - now, name).toBeWithin(0, 365 * day);
    expect(contacts.get(id)?.length, name).toBeWithin(2, 4);
    for (const contact of contacts.get(id) ?? []) {
      expect(contact.name).toMatch(/^[A-Z][a-z]+ [A-Z][a-z]+$/);
      expect(contact.email).toMatch(/^[a-z]+\.[a-z]+@[a-z-]+\.example$/);
    }
  }
  const amounts: number[] = (await list("accounts?sortBy=mrr")).map(({ mrr }) => mrr);
  expect([amounts[0], amounts.at(-1)]).toEqual([200, 40_000]);
  const mean = amounts.reduce((sum, mrr) => sum + mrr, 0) / amounts.length;
  expect(mean).toBeGreaterThan(1.5 * (amounts[251] ?? 0));
  expect(amounts.filter((mrr) => mrr >= 10_000).length).toBeGreaterThan(20);
});

test("every status and every order of the sample accounts has another first page", async () => {
  const { data } = await sampleCompanies();
  const orders = ["name", "mrr", "createdAt", "updatedAt"].flatMap((order) => [
    order,
    `${order}&sortOrder=desc`,
  ]);
  const queries = ["active", "onboarding", "churned", "inactive"].map((status) => `status=${status}`);
  const pages = new Set<string>();
  for (const query of [...queries, ...orders.map((order) => `sortBy=${order}`)]) {
    const ids = (await data(`accounts?${query}`)).map(({ id }: { id: number }) => id);
    expect(ids.length, query).toBeGreaterThan(0);
    pages.add(ids.join());
  }
  expect(pages.size).toBe(12);
  const unmatched = await data("events/unmatched");
  expect(unmatched.map(({ externalId }: { externalId: string }) => externalId).sort()).toEqual([
    ...["Acme Ltd", "NEWCO", "trial-20418"],
  ]);
});

// What customers did lately depends on the day of the week.
for (const [name, hours] of [
  ["on a Friday evening", 17],
  ["on a Monday at midnight", 69],
] as const) {
  test(`${name}, sample scores have a history with falls, usage has every trend, and meetings are on weekdays`, async () => {
    const { data, list, changes, faults, now } = await sampleCompanies(hours);
    const [oldest] = await list("accounts?sortBy=createdAt");
    expect(await data(`accounts/${oldest.id}/health/history`)).toHaveLength(90);
    const all = await changes();
    const lately = all.filter(({ time }) => Date.parse(time) > now - 7 * day);
    const moves = lately.filter(({ type }) => type === "account.health_changed");
    const falls = moves.filter(({ before, after }) => before.tier !== null && after.score < before.score);
    for (const tier of ["attention", "at_risk", "critical"])
      expect(falls.filter(({ after }) => after.tier === tier).length, tier).toBeGreaterThan(3);
    for (const { tier, accounts } of (await data("health/summary")).tiers)
      expect(accounts, tier).toBeGreaterThan(20);
    const times: string[] = all.map(({ time }) => time);
    expect(times).toEqual(times.toSorted());
    expect(times.at(-1)).toBe(formatTimestamp(now));
    expect(await faults(0)).toEqual([]);

    const usage = await data(`usage?pageSize=1000&from=${formatDay(dayOf(now) - 89)}`);
    const counts = [0, 0];
    for (const { day, count } of usage) counts[[0, 6].includes(new Date(day).getUTCDay()) ? 1 : 0] += count;
    expect(counts[0]).toBeGreaterThan(10 * (counts[1] ?? 0));
    const trends = new Map<number | undefined, number>();
    const sources = new Set<string | null>();
    const scores = new Set<string>();
    for (const { id } of await list("accounts")) {
      const { factors, contactActivity } = await data(`accounts/${id}/health`);
      sources.add(contactActivity.source);
      for (const { key, score } of factors) scores.add(`${key} ${score}`);
      const score = factors.find(({ key }: { key: string }) => key === "usageTrend")?.score;
      trends.set(score, (trends.get(score) ?? 0) + 1);
    }
    expect(sources).toEqual(new Set([null, "api", "e-mail", "event", "helpdesk", "meeting"]));
    for (const key of ["contactActivity", "usageRecency"])
      for (const score of [100, 80, 60, 40, 20]) expect(scores).toContain(`${key} ${score}`);
    for (const key of ["openRequests", "meetings", "requestResolution"])
      expect(
        [...scores].some((score) => score.startsWith(key)),
        key,
      ).toBe(true);
    for (const score of [100, 80, 60, 40, 20, undefined])
      expect(trends.get(score), `${score}`).toBeGreaterThan(10);

    // From 14:00 to 17:30 UTC; some are to come, and none takes place now.
    const meetings = await list("meetings");
    for (const { startAt, endAt } of meetings) {
      expect(new Date(startAt).getUTCDay()).toBeWithin(1, 6);
      expect([startAt.slice(11, 16) >= "14:00", endAt.slice(11, 16) <= "17:30"]).toEqual([true, true]);
      expect(Date.parse(startAt) > now || Date.parse(endAt) < now).toBe(true);
    }
    expect(meetings.filter(({ startAt }) => Date.parse(startAt) > now).length).toBeGreaterThan(100);
  });
}

test("the sample data is the same for the same time", async () => {
  const { engine, first, second, call } = await world();
  for (const { id } of [first, second]) await engine.write(id, (tx) => seedCompanies(tx, id));
  for (const path of ["accounts?include=attributes,health", "meetings", "requests", "usage"]) {
    const replies = await Promise.all(
      [first, second].map(({ key }) => call("GET", `/api/v1/${path}`, undefined, { key })),
    );
    const [one, other] = replies.map(({ text }) => text.replace(/"(id|accountId)":\d+/g, ""));
    expect(one).toBe(other ?? "");
  }
});

/** The sample companies, stored some hours after Friday 2 January 2026 at 3:04 UTC. */
async function sampleCompanies(hours = 0) {
  const { pass, engine, first, call, faults, now } = await world();
  pass(hours * 3_600_000);
  await engine.write(first.id, (tx) => seedCompanies(tx, first.id));
  const get = async (path: string) => (await call("GET", `/api/v1/${path}`)).body;
  /** All rows of a list. */
  async function list(path: string) {
    const rows = [];
    for (let page = 1; ; page++) {
      const query = `${path.includes("?") ? "&" : "?"}pageSize=100&page=${page}`;
      const { data, pagination } = await get(path + query);
      rows.push(...data);
      if (!pagination.hasNextPage) return rows;
    }
  }
  async function changes() {
    const rows = [];
    for (let after = 0; ; ) {
      const { data, pagination } = await get(`changes?limit=1000&after=${after}`);
      rows.push(...data);
      if (!pagination.hasNextPage) return rows;
      after = pagination.nextAfter;
    }
  }
  return { list, changes, faults, now: now(), data: async (path: string) => (await get(path)).data };
}
