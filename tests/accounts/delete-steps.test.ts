import { expect, test } from "bun:test";
import { finishAccountDeletions } from "../../src/deletions/accounts.ts";
import { world } from "../support/world.ts";

const accounts = "/api/v1/accounts";
const day = 86_400_000;

type World = Awaited<ReturnType<typeof world>>;

/** Inserts events in turn for these accounts of the first organization, with a day for each account and many users. */
async function insertUsage(
  { execute, now }: World,
  accountIds: readonly number[],
  eventCount: number,
  userCount = 0,
) {
  const numbers = (count: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  const today = Math.floor(now() / day);
  const owners = accountIds.map((id, index) => `WHEN ${index} THEN ${id}`).join(" ");
  const values = [...new Set(accountIds)].map((id) => `(${id})`);
  await execute(`${numbers(eventCount)}
    INSERT INTO events (organization_id, account_id, event, timestamp, received_at)
    SELECT 1, CASE i % ${accountIds.length} ${owners} END, 'read', ${now()}, ${now()} FROM n`);
  await execute(`WITH ids (id) AS (VALUES ${values})
    INSERT INTO usage_days (organization_id, account_id, day, event, count, users, first_user, first_at, last_at)
    SELECT 1, id, ${today}, 'read', ${userCount + 1}, ${userCount}, NULL, ${now()}, ${now()}
    FROM ids WHERE true ON CONFLICT DO NOTHING`);
  if (userCount > 0)
    await execute(`${numbers(userCount)} INSERT INTO usage_users
      SELECT organization_id, account_id, day, event, 'user ' || i FROM usage_days, n`);
}

/** The number of rows of each account in each table of events and usage. */
async function countRows({ rows }: World): Promise<unknown[]> {
  const tables = ["events", "usage_days", "usage_users", "account_deletions"];
  const union = tables.map((table) => `SELECT '${table}' AS name, account_id FROM ${table}`);
  const counts = await rows<{ name: string; account_id: number; count: number }>(
    `SELECT name, account_id, count(*) AS count FROM (${union.join(" UNION ALL ")}) AS owned
      GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  return counts.map(({ name, account_id, count }) => [name, account_id, count]);
}

async function countSteps(here: World): Promise<number> {
  let steps = 0;
  while (await finishAccountDeletions(here.jobs.tenant(here.first.id))) steps += 1;
  return steps;
}

async function threeAccounts(here: World): Promise<number[]> {
  const created = [];
  for (const name of ["A", "B", "C"]) created.push((await here.account({ name })).id as number);
  return created;
}

test("the events of several deleted accounts are deleted in one pass over the organization's events", async () => {
  const here = await world();
  const [a = 0, b = 0, c = 0] = await threeAccounts(here);
  await insertUsage(here, [...Array(13).fill(c), a, b], 15_000);
  for (const id of [a, b]) expect((await here.call("DELETE", `${accounts}/${id}`)).status).toBe(204);
  // A step reads 1,000 events. The 15th also deletes the usage of the first account, the 16th that of the second.
  expect(await countSteps(here)).toBe(16);
  expect(await countRows(here)).toEqual([
    ["events", c, 13_000],
    ["usage_days", c, 1],
  ]);
});

test("a deletion ends while the organization receives events", async () => {
  const here = await world();
  const [a = 0, b = 0] = await threeAccounts(here);
  await insertUsage(here, [a, b], 2_000, 1);
  await here.call("DELETE", `${accounts}/${a}`);
  let steps = 0;
  do {
    await insertUsage(here, [b], 1);
    steps += 1;
  } while (steps < 20 && (await finishAccountDeletions(here.jobs.tenant(here.first.id))));
  expect(steps).toBeLessThan(20);
  expect(await countRows(here)).toEqual([
    ["events", b, 1_000 + steps],
    ["usage_days", b, 1],
    ["usage_users", b, 1],
  ]);
});

test("an account that is deleted during another's deletion loses the events that were passed already", async () => {
  const here = await world();
  const [a = 0, b = 0, c = 0] = await threeAccounts(here);
  await insertUsage(here, [a, b, c], 6_000);
  await here.call("DELETE", `${accounts}/${b}`);
  for (let step = 0; step < 3; step += 1) await finishAccountDeletions(here.jobs.tenant(1));
  await here.call("DELETE", `${accounts}/${a}`);
  await countSteps(here);
  expect(await countRows(here)).toEqual([
    ["events", c, 2_000],
    ["usage_days", c, 1],
  ]);
});

test.each([[0], [199], [200], [201], [1_000]])(
  "a day with %d further users is deleted whole, in steps",
  async (userCount) => {
    const here = await world();
    const [a = 0, b = 0, c = 0] = await threeAccounts(here);
    await insertUsage(here, [a, b, c], 3, userCount);
    await here.call("DELETE", `${accounts}/${b}`);
    await countSteps(here);
    const kept = [a, c].flatMap((id) => [["usage_users", id, userCount]]);
    expect(await countRows(here)).toEqual([
      ["events", a, 1],
      ["events", c, 1],
      ["usage_days", a, 1],
      ["usage_days", c, 1],
      ...(userCount > 0 ? kept : []),
    ]);
  },
);
