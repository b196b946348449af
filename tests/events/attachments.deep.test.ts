import { expect, test } from "bun:test";
import { accounts, attachmentWorld } from "./attachment-world.ts";
import { day } from "./event-world.ts";

const today = "2026-01-02";
/** Events that a step reads. */
const batchSize = 100;

test("2,001 pending events are attached in steps; until then usage and health have pendingEvents", async () => {
  const here = await attachmentWorld();
  const { account, sendPending, usage, unmatched, pendingEvents, attach, attachments, owners, check } = here;
  await sendPending("unknown", 2_001);
  const { id, externalId } = await account({ name: "New", externalId: "unknown" });
  expect([externalId, await unmatched(), await usage(id)]).toEqual(["unknown", [], []]);
  for (let left = 2_001; left > 0; left -= batchSize) {
    expect(await pendingEvents(id)).toEqual([left, left]);
    expect([await attachments(), await check()]).toEqual([[{ account_id: id, count: left }], []]);
    expect(await attach(1)).toBe(true);
    expect(await usage(id)).toMatchObject([[today, "opened", 2_001 - Math.max(0, left - batchSize), 100]]);
  }
  expect([await pendingEvents(id), await attachments(), await check()]).toEqual([
    [undefined, undefined],
    [],
    [],
  ]);
  expect(await owners()).toEqual([[id, 2_001]]);
  expect(await attach(1)).toBe(false);
});

/** Bodies that give ids to accounts in one transaction, by their path. */
const batches: [string, (ids: string[]) => object][] = [
  ["/accounts/batch", (ids) => ({ accounts: ids.map((externalId) => ({ externalId, name: "New" })) })],
  [
    "/batch",
    (ids) => ({
      mode: "atomic",
      operations: ids.map((externalId) => ({
        method: "POST",
        path: accounts,
        body: { externalId, name: "New" },
      })),
    }),
  ],
];

test.each(batches)(
  "one transaction attaches at most 2,000 events of all its accounts: a POST to …%s",
  async (path, bodyOf) => {
    const here = await attachmentWorld();
    const { call, rows, sendPending, pendingEvents, attach, attachments, owners, check } = here;
    const externalIds = ["a", "b", "c", "d"];
    // The third number exceeds the limit, the fourth one does not.
    const counts = [900, 900, 900, 200];
    for (const [i, externalId] of externalIds.entries()) await sendPending(externalId, counts[i] ?? 0);
    const reply = await call("POST", `/api/v1${path}`, bodyOf(externalIds));
    expect([reply.status, await check()]).toEqual([200, []]);
    const found = await rows<{ id: number }>("SELECT id FROM accounts WHERE id > 2 ORDER BY external_id");
    const ids = found.map(({ id }) => id);
    expect(await attachments()).toEqual([{ account_id: ids[2], count: 900 }]);
    const pending = [];
    for (const id of ids) pending.push((await pendingEvents(id))[0]);
    expect(pending).toEqual([undefined, undefined, 900, undefined]);
    while (await attach(1));
    expect([await owners(), await check()]).toEqual([ids.map((id, i) => [id, counts[i] ?? 0]), []]);
  },
);

test("the pagination of usage and the other members of health are unchanged while events are attached", async () => {
  const { account, call, sendPending, attach } = await attachmentWorld();
  await sendPending("unknown", 2_001);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await attach(1);
  const { body } = await call("GET", `${accounts}/${id}/usage`);
  expect(Object.keys(body)).toEqual(["data", "pagination", "pendingEvents"]);
  expect(body.pagination.total).toBe(1);
  const health = (await call("GET", `${accounts}/${id}/health?asOf=2026-01-01`)).body.data;
  expect(health).toMatchObject({ coverage: 0, pendingEvents: 2_001 - batchSize });
});

test("the steps of one PATCH after the other attach the events of each id", async () => {
  const { call, sendPending, usage, pendingEvents, runJobs, attachments, owners } = await attachmentWorld();
  for (const externalId of ["b", "a"]) await sendPending(externalId, 2_100);
  for (const externalId of ["b", null, "a"]) await call("PATCH", `${accounts}/1`, { externalId });
  expect([await pendingEvents(1), await pendingEvents(2)]).toEqual([
    [4_200, 4_200],
    [undefined, undefined],
  ]);
  await runJobs();
  expect([await usage(), await attachments(), await owners()]).toEqual([
    [[today, "opened", 4_200, 100]],
    [],
    [[1, 4_200]],
  ]);
});

test("events that arrive during the steps are attached at once, and deduplicated with the pending ones", async () => {
  const { account, send, sendPending, usage, attach, runJobs, owners, check } = await attachmentWorld();
  await sendPending("unknown", 2_100);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await attach(3);
  const event = { event: "opened", externalId: "unknown", userId: "u1" };
  const receipt = await send([
    { ...event, messageId: "new" },
    { ...event, messageId: "unknown 0" },
    { ...event, messageId: "unknown 2099" },
  ]);
  expect(receipt).toMatchObject({ accepted: 1, duplicates: 2, parked: 0 });
  expect(await usage(id)).toEqual([[today, "opened", 3 * batchSize + 1, 100]]);
  expect(await check()).toEqual([]);
  await runJobs();
  expect(await usage(id)).toEqual([[today, "opened", 2_101, 100]]);
  expect([await owners(), await check()]).toEqual([[[id, 2_101]], []]);
});

test.each([
  [10, 1],
  [2_300, 1],
  [2_300, 2],
])(
  "%d events, of %d days ago, that arrive after the account gave up the id belong to the next account that takes it",
  async (laterCount, daysAgo) => {
    const here = await attachmentWorld();
    const { account, call, sendPending, usage, unmatched, pendingEvents, attach, runJobs } = here;
    for (const days of [2, 0])
      await sendPending("unknown", 1_050, { messageId: null, timestamp: here.at(-days * day) });
    const one = await account({ name: "One", externalId: "unknown" });
    await attach(4);
    await call("PATCH", `${accounts}/${one.id}`, { externalId: "other" });
    // The steps of the first account read these events between its own.
    const later = { messageId: null, event: "later", timestamp: here.at(-daysAgo * day) };
    await sendPending("unknown", laterCount, later);
    expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: laterCount }]);
    expect(await here.check()).toEqual([]);
    await attach(4);
    await call("PATCH", `${accounts}/1`, { externalId: "unknown" });
    expect(await unmatched()).toEqual([]);
    expect(await pendingEvents(1)).toEqual([laterCount, laterCount]);
    expect(await pendingEvents(one.id)).toEqual([1_300, 1_300]);
    for (let hasMore = true; hasMore; ) {
      expect(await here.check()).toEqual([]);
      hasMore = await attach(1);
    }
    await runJobs();
    expect(await usage(one.id)).toEqual([
      ["2025-12-31", "opened", 1_050, 100],
      [today, "opened", 1_050, 100],
    ]);
    expect(await usage(1)).toEqual([
      [here.at(-daysAgo * day).slice(0, 10), "later", laterCount, Math.min(laterCount, 100)],
    ]);
    expect(await here.owners()).toEqual([
      [1, laterCount],
      [one.id, 2_100],
    ]);
  },
);

test("the pending events of an account that is deleted meanwhile are deleted, and given to no other account", async () => {
  const here = await attachmentWorld();
  const { account, call, outcome, run, send, sendPending, usage, attach, runJobs, owners, check } = here;
  await sendPending("unknown", 2_100);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await attach(2);
  expect((await call("DELETE", `${accounts}/${id}`)).status).toBe(204);
  // Events of a deleted account are no duplicates.
  const event = { event: "opened", externalId: "unknown" };
  for (const messageId of ["unknown 0", "unknown 2099"])
    expect(await outcome({ ...event, messageId })).toBe("parked");
  expect(await check()).toEqual([]);
  const next = await account({ name: "Next", externalId: "unknown" });
  await run("account deletions");
  expect(await attach(3)).toBe(true);
  expect(await check()).toEqual([]);
  await runJobs();
  expect([await owners(), await usage(next.id), await check()]).toEqual([
    [[next.id, 2]],
    [[today, "opened", 2, 0]],
    [],
  ]);
  expect(await here.attachments()).toEqual([]);
  expect(await send([{ ...event, messageId: "unknown 5" }])).toMatchObject({ accepted: 1 });
});

test("a step that fails changes nothing", async () => {
  const { account, sendPending, usage, attach, failOn, owners, check, attachments } = await attachmentWorld();
  await sendPending("unknown", 2_100);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await attach(1);
  const endFailures = await failOn({
    ...{ table: "attachments", on: "UPDATE", when: "true", message: "progress is not saved" },
  });
  await expect(attach(1)).rejects.toThrow("progress is not saved");
  await endFailures();
  expect(await usage(id)).toEqual([[today, "opened", batchSize, 100]]);
  expect([await attachments(), await check()]).toEqual([[{ account_id: id, count: 2_100 - batchSize }], []]);
  expect(await owners()).toEqual([
    ["unknown", 2_100 - batchSize],
    [id, batchSize],
  ]);
});

test("the stored score changes once, when all events are attached", async () => {
  const here = await attachmentWorld();
  const { account, call, sendPending, attach, runJobs, at } = here;
  await sendPending("unknown", 1_100, { timestamp: at(-20 * day) });
  await sendPending("unknown", 1_000, { messageId: null, timestamp: at(-4 * day) });
  // The score job has read the events while they were pending.
  await runJobs();
  const { id } = await account({ name: "New", externalId: "unknown" });
  const listed = async () => {
    const { data } = (await call("GET", "/api/v1/health?sortBy=name&sortOrder=desc")).body;
    const { accountId, score, coverage } = data[0];
    return [accountId, score, coverage];
  };
  await attach(20);
  expect(await listed()).toEqual([id, null, 0]);
  expect(await attach(1)).toBe(true);
  const { score, coverage } = (await call("GET", `${accounts}/${id}/health`)).body.data;
  expect(coverage).toBe(0.65);
  expect(await listed()).toEqual([id, score, coverage]);
  await runJobs();
  const types = (await call("GET", `${accounts}/${id}/history`)).body.data.map(
    ({ type }: { type: string }) => type,
  );
  expect(types).toEqual(["account.health_changed", "account.created"]);
});
