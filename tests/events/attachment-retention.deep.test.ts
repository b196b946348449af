import { expect, test } from "bun:test";
import { accounts, attachmentWorld } from "./attachment-world.ts";
import { day } from "./event-world.ts";

const today = "2026-01-02";

test("events that are old when the steps continue are attached, then deleted as others are", async () => {
  const here = await attachmentWorld();
  const { account, sendPending, usage, pass, attach, run, runJobs, owners, check } = here;
  await sendPending("unknown", 2_100);
  pass(29 * day);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await attach(4);
  // The server is stopped for ten days.
  pass(10 * day);
  await run("old events");
  expect(await owners()).toEqual([["unknown", 1_700]]);
  await runJobs();
  expect(await usage(id)).toEqual([[today, "opened", 2_100, 100]]);
  expect([await owners(), await check()]).toEqual([[], []]);
});

test("events that are being attached do not expire, and neither do later ones with their id before they do", async () => {
  const here = await attachmentWorld();
  const { account, call, run, send, sendPending, unmatched, pass, attach, owners } = here;
  await send([{ event: "opened", externalId: "other" }]);
  await sendPending("unknown", 2_100);
  const { id } = await account({ name: "New", externalId: "unknown" });
  await call("PATCH", `${accounts}/${id}`, { externalId: null });
  await send([{ event: "opened", externalId: "unknown" }]);
  pass(30 * day);
  await run("pending events");
  expect(await owners()).toEqual([
    [null, 1],
    ["unknown", 2_101],
  ]);
  while (await attach(1)) await run("pending events");
  expect(await owners()).toEqual([
    [null, 2],
    [id, 2_100],
  ]);
  expect([await unmatched(), await here.check()]).toEqual([[], []]);
});

test("events that had expired when the account took the id are not attached", async () => {
  const here = await attachmentWorld();
  const { account, sendPending, usage, pendingEvents, pass, runJobs, owners, check } = here;
  await sendPending("unknown", 1_050);
  pass(day);
  await sendPending("unknown", 1_050, { messageId: null, event: "closed" });
  pass(29 * day);
  const { id } = await account({ name: "New", externalId: "unknown" });
  expect(await pendingEvents(id)).toEqual([2_100, 2_100]);
  await runJobs();
  expect(await usage(id)).toEqual([["2026-01-03", "closed", 1_050, 100]]);
  expect([await owners(), await check()]).toEqual([
    [
      [null, 1_050],
      [id, 1_050],
    ],
    [],
  ]);
});

test("a user is counted once on a day that becomes final while events are attached", async () => {
  const here = await attachmentWorld();
  const { call, at, sendPending, usage, pass, attach, runJobs, rows } = here;
  const timestamp = at(0);
  await sendPending("acme", 100, { timestamp });
  // The latest event of the day that the service accepts, and the latest time at which an account can take it.
  pass(35 * day);
  await sendPending("unknown", 2_100, { timestamp });
  pass(29 * day);
  await runJobs();
  await call("PATCH", `${accounts}/1`, { externalId: "unknown" });
  await attach(2);
  pass(10 * day);
  await runJobs();
  expect(await usage()).toEqual([[today, "opened", 2_200, 100]]);
  await runJobs();
  expect(await rows("SELECT * FROM usage_users")).toEqual([]);
});
