import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Change, changeWorld, day } from "./change-world.ts";

const times = { startAt: "2026-01-01", endAt: "2026-01-01" };

/** Two accounts with sub-resources, the first with a score. */
async function historyWorld() {
  const here = await changeWorld();
  await here.send("POST", "/api/v1/accounts", { name: "Acme", contactName: "Ada" });
  await here.send("POST", "/api/v1/accounts", { name: "Globex", contactName: "Bob" });
  await here.send("POST", "/api/v1/accounts/1/meetings", { title: "Kickoff", ...times });
  await here.send("POST", "/api/v1/accounts/1/requests", { title: "SSO" });
  await here.send("PATCH", "/api/v1/accounts/1", { contactActivityAt: "2026-01-02" });
  await here.send("PATCH", "/api/v1/meetings/1", { title: "Review" });
  await here.send("POST", "/api/v1/accounts/2/requests", { title: "SCIM" });
  await here.send("DELETE", "/api/v1/contacts/1");
  await runDueJobs(here);
  const history = async (query = "", accountId = 1) =>
    (await here.call("GET", `/api/v1/accounts/${accountId}/history${query}`)).body;
  const sequences = async (query = "", accountId = 1): Promise<number[]> =>
    (await history(query, accountId)).data.map(({ sequence }: Change) => sequence);
  return { ...here, history, sequences };
}

test("the history of an account has its changes and those of its sub-resources, newest first", async () => {
  const { changes, history } = await historyWorld();
  const all = await changes();
  expect(all).toHaveLength(12);
  for (const accountId of [1, 2]) {
    const own = all.filter((change) => change.accountId === accountId).toReversed();
    expect(await history("", accountId)).toEqual({
      data: own,
      pagination: {
        page: 1,
        pageSize: 25,
        total: own.length,
        totalPages: 1,
        hasNextPage: false,
        hasPrevPage: false,
      },
    });
  }
  const types = (await history()).data.map(({ type }: Change) => type);
  expect(types).toEqual([
    "account.health_changed",
    "contact.deleted",
    "meeting.updated",
    "account.updated",
    "request.created",
    "meeting.created",
    "contact.created",
    "account.created",
  ]);
});

test("the history of an account that is missing, foreign or deleted, or of an invalid id, is 404", async () => {
  const { account, call, send, second } = await historyWorld();
  const theirs = await account({ name: "Theirs" }, { key: second.key });
  await send("DELETE", "/api/v1/accounts/2");
  const replies = await Promise.all(
    [theirs.id, 2, 99].map((id) => call("GET", `/api/v1/accounts/${id}/history`)),
  );
  for (const { status, text } of replies) expect([status, text]).toEqual([404, replies[0]?.text as string]);
  expect(replies[0]?.body.code).toBe("not_found");
  expect((await call("GET", "/api/v1/accounts/x/history")).status).toBe(400);
});

test("the change that moves a row is in the history of both accounts, and later ones in that of the new account", async () => {
  const { call, send, sequences, history, expected } = await historyWorld();
  const before = [await sequences("", 1), await sequences("", 2)];
  await send("PUT", "/api/v1/requests/external/r", { title: "Export", accountId: 1 });
  await send("PUT", "/api/v1/requests/external/r", { accountId: 2 });
  await send("PUT", "/api/v1/requests/external/r", { severity: 5 });
  expect(await sequences("", 1)).toEqual([14, 13, ...(before[0] as number[])]);
  expect(await sequences("", 2)).toEqual([15, 14, ...(before[1] as number[])]);
  const [, moved] = (await history("", 2)).data;
  const [row] = (await call("GET", "/api/v1/requests?externalId=r")).body.data;
  expect(moved).toEqual({
    ...expected(13, {
      type: "request.updated",
      resourceId: row.id,
      accountId: 2,
      before: { accountId: 1, updatedAt: row.createdAt },
      after: { accountId: 2, updatedAt: moved.after.updatedAt },
    })[0],
  });
  expect((await history("", 1)).data[0]).toEqual(moved);
  const feed = (await call("GET", "/api/v1/changes?after=13")).body.data;
  expect(feed.map(({ sequence }: Change) => sequence)).toEqual([14, 15]);
});

/** A world in which a row of each list moved from account 1 to 2, back, and to 2 again, between other changes. */
async function movedWorld() {
  const here = await historyWorld();
  const row = { name: "Eve", title: "Moved", ...times };
  for (const list of ["contacts", "meetings", "requests"]) {
    const path = `/api/v1/${list}/external/moved`;
    await here.send("PUT", path, { ...row, accountId: 1 });
    for (const accountId of [2, 1, 2]) {
      await here.send("PUT", path, { accountId });
      await here.send("PATCH", "/api/v1/accounts/1", { mrr: (await here.sequences()).length });
    }
  }
  /** What both histories must have, newest first. */
  async function expectedOf(accountId: number): Promise<number[]> {
    const own = (await here.changes()).filter(
      (change) => change.accountId === accountId || change.before?.accountId === accountId,
    );
    return own.map(({ sequence }) => sequence).toReversed();
  }
  /** The history by pages of this size: by number, and by cursor. */
  async function pagesOf(accountId: number, pageSize: number): Promise<[number[], number[]]> {
    const byNumber: number[] = [];
    const { length: total } = await expectedOf(accountId);
    for (let page = 1, isMore = true; isMore; page += 1) {
      const { data, pagination } = await here.history(`?pageSize=${pageSize}&page=${page}`, accountId);
      byNumber.push(...data.map(({ sequence }: Change) => sequence));
      expect(pagination.total).toBe(total);
      isMore = pagination.hasNextPage;
    }
    const byCursor: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { data, pagination } = await here.history(`?pageSize=${pageSize}&cursor=${cursor}`, accountId);
      byCursor.push(...data.map(({ sequence }: Change) => sequence));
      cursor = pagination.nextCursor;
    }
    return [byNumber, byCursor];
  }
  return { ...here, expectedOf, pagesOf };
}

test("moves are in both histories once, on every page, before and after their block of the index is complete", async () => {
  const { expectedOf, pagesOf, execute, send, changes, faults } = await movedWorld();
  const assertPages = async (sizes: readonly number[]) => {
    for (const accountId of [1, 2])
      for (const size of sizes) {
        const expected = await expectedOf(accountId);
        expect([accountId, size, await pagesOf(accountId, size)]).toEqual([
          accountId,
          size,
          [expected, expected],
        ]);
      }
  };
  await assertPages([1, 2, 7, 25]);
  const { length } = await changes();
  // Up to one before the end of the block.
  await execute(`WITH RECURSIVE n (i) AS (SELECT ${length + 1} UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
    INSERT INTO changes (organization_id, sequence, resource, action, resource_id, account_id, changed_at, actor_type, before, after)
    SELECT organization_id, i, 'account', 'updated', 3, 3, changed_at, 'cli', '{"mrr":1}', '{"mrr":2}'
    FROM changes, n WHERE sequence = 1`);
  await assertPages([25]);
  await send("PUT", "/api/v1/contacts/external/moved", { accountId: 1 });
  await assertPages([1, 7, 25]);
  expect(await faults(0)).toEqual([]);
  await send("PUT", "/api/v1/meetings/external/moved", { accountId: 1 });
  await send("PATCH", "/api/v1/accounts/2", { mrr: 9 });
  await assertPages([1, 7, 25]);
});

test("the moves of an account are deleted from its history with their changes", async () => {
  const { pass, rows, send, expectedOf, pagesOf, ...here } = await movedWorld();
  pass(401 * day);
  await send("PATCH", "/api/v1/accounts/1", { mrr: 1_000 });
  await runDueJobs(here);
  for (const accountId of [1, 2]) {
    const expected = await expectedOf(accountId);
    expect(expected.length).toBeLessThan(3);
    expect(await pagesOf(accountId, 25)).toEqual([expected, expected]);
  }
  expect(await rows("SELECT * FROM account_changes")).toEqual([]);
});
