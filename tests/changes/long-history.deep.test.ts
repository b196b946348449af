import { expect, test } from "bun:test";
import { createAccount, deleteAccount, updateAccount } from "../../src/accounts/store.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Change, changeWorld, day } from "./change-world.ts";

const accountCount = 3;
/** The changes that are indexed at once. */
const blockSize = 1_000;

/** Accounts of two organizations with 5,000 changes in each, in turn. */
async function longWorld() {
  const here = await changeWorld();
  const owners: { owner: number; firstId: number }[] = [];
  let changeCount = accountCount;
  /** Adds changes to each organization. The service makes those that complete a block; the others are inserted. */
  async function change(count: number) {
    const end = changeCount + count;
    while (changeCount < end) {
      const inserted = Math.min(end, changeCount + blockSize - 1 - (changeCount % blockSize));
      for (const { owner, firstId } of owners) {
        if (inserted > changeCount)
          await here.execute(`
            WITH RECURSIVE n (i) AS (SELECT ${changeCount + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${inserted})
            INSERT INTO changes (organization_id, sequence, resource, action, resource_id, account_id, changed_at,
              actor_type, before, after)
            SELECT ${owner}, i, 'account', 'updated', ${firstId} + i % ${accountCount}, ${firstId} + i % ${accountCount},
              ${here.now()}, 'cli', '{"mrr":1}', '{"mrr":2}' FROM n`);
        if (inserted < end)
          await here.tenant(owner).write((tx) => updateAccount(tx, firstId, { mrr: inserted + 1 }));
      }
      changeCount = Math.min(end, inserted + 1);
    }
  }
  for (const owner of [here.first.id, here.second.id]) {
    const ids = await here.tenant(owner).write(async (tx) => {
      const created: number[] = [];
      for (let i = 0; i < accountCount; i += 1) created.push((await createAccount(tx, { name: "A" })).id);
      return created;
    });
    const [firstId = 0] = ids;
    // The changes below are of consecutive accounts; PostgreSQL may leave out numbers between two transactions.
    expect(ids).toEqual(ids.map((_, i) => firstId + i));
    owners.push({ owner, firstId });
  }
  await change(5_000 - accountCount);
  const history = async (query: string, accountId = 1) =>
    (await here.call("GET", `/api/v1/accounts/${accountId}/history?${query}`)).body;

  /** The sequence numbers of an account's changes, page by page, and the total of each page. */
  async function pagesOf(accountId: number) {
    const sequences: number[] = [];
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await history(`pageSize=100&page=${page}`, accountId);
      sequences.push(...data.map(({ sequence }: Change) => sequence));
      if (!pagination.hasNextPage) return { sequences, total: pagination.total };
    }
  }

  /** The same, read from the table of changes. */
  async function expectedOf(accountId: number) {
    const rows = await here.rows<{ sequence: number }>(
      "SELECT sequence FROM changes WHERE account_id = ? ORDER BY sequence DESC",
      accountId,
    );
    return { sequences: rows.map(({ sequence }) => sequence), total: rows.length };
  }

  /** The sequence numbers in the index, by organization. */
  async function indexed(): Promise<number[][]> {
    const rows = await here.rows<{ owner: number; sequence: number }>(
      "SELECT organization_id AS owner, sequence FROM account_changes ORDER BY 1, 2",
    );
    const owners = Map.groupBy(rows, ({ owner }) => owner).values();
    return [...owners].map((entries) => entries.map(({ sequence }) => sequence));
  }

  return { ...here, change, history, pagesOf, expectedOf, indexed };
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test("the history has every change of an account once, in and after the index of changes by account", async () => {
  const { change, pagesOf, expectedOf, indexed } = await longWorld();
  expect(await indexed()).toEqual([upTo(1, 4_000), upTo(1, 4_000)]);
  // One change before the next block is complete, and with it.
  for (const more of [999, 1]) {
    await change(more);
    for (const id of [1, 3]) expect(await pagesOf(id)).toEqual(await expectedOf(id));
  }
  expect(await indexed()).toEqual([upTo(1, 6_000), upTo(1, 6_000)]);
});

test("the index of changes by account loses the changes that are deleted after their retention", async () => {
  const { change, pagesOf, expectedOf, indexed, pass, ...here } = await longWorld();
  pass(390 * day);
  await change(500);
  pass(11 * day);
  await runDueJobs(here);
  expect(await indexed()).toEqual([]);
  for (const id of [1, 2, 3]) expect(await pagesOf(id)).toEqual(await expectedOf(id));
  await change(1_000);
  // The job kept the changes after the first 5,000.
  const kept = upTo(5_001, 6_000);
  expect(await indexed()).toEqual([kept, kept]);
  for (const id of [1, 2, 3]) expect(await pagesOf(id)).toEqual(await expectedOf(id));
});

test("the history of a deleted account stays in the index until the changes are deleted", async () => {
  const { tenant, indexed, history } = await longWorld();
  await tenant().write((tx) => deleteAccount(tx, 1));
  expect(await history("page=1")).toMatchObject({ status: 404 });
  expect((await indexed())[0]).toHaveLength(4_000);
});
