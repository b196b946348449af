import { expect, test } from "bun:test";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { type Change, changeWorld } from "./change-world.ts";

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

test("the change that moves a row, and later ones, are in the history of the new account", async () => {
  const { call, send, sequences, history, expected } = await historyWorld();
  const before = [await sequences("", 1), await sequences("", 2)];
  await send("PUT", "/api/v1/requests/external/r", { title: "Export", accountId: 1 });
  await send("PUT", "/api/v1/requests/external/r", { accountId: 2 });
  await send("PUT", "/api/v1/requests/external/r", { severity: 5 });
  expect(await sequences("", 1)).toEqual([13, ...(before[0] as number[])]);
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
});
