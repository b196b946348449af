import { expect, test } from "bun:test";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import type { JobTitle } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { day, hour } from "../health-scores/health-world.ts";
import { beginning } from "../support/world.ts";

import { type DueWorld, dueWorld } from "./due-world.ts";

const pendingEvent = { events: [{ event: "read", externalId: "nobody" }] };
const expiringDay = (dayNumber: number) =>
  `INSERT INTO expiring_days (organization_id, day, account_id, event) VALUES (1, ${dayNumber}, 1, 'read')`;
const attachment = `INSERT INTO attachments
  (organization_id, external_id, last_event_id, account_id, count, expired_at, next_timestamp)
  VALUES (1, 'acme', 0, 1, 1, 0, 0)`;

const webhook = (active: 0 | 1, position: number) => `INSERT INTO webhooks
  (organization_id, url, format, ordered, active, secret, position, created_at, updated_at)
  VALUES (1, 'https://x.io', 'accountd', 'account', ${active}, 'x', ${position}, 0, 0)`;
const delivery = (sequence: number, status: string, createdAt: number) => `INSERT INTO webhook_deliveries
  (organization_id, webhook_id, sequence, account_id, status, created_at)
  SELECT 1, id, ${sequence}, 0, '${status}', ${createdAt} FROM webhooks`;
const oldChanges = "UPDATE changes SET changed_at = 0 WHERE organization_id = 1";
/** Old changes, and a webhook that has deliveries of the first two. */
async function oldDelivered({ execute }: DueWorld, active: 0 | 1, status: string): Promise<void> {
  await execute(oldChanges);
  await execute(webhook(active, 2));
  for (const sequence of [1, 2]) await execute(delivery(sequence, status, beginning));
}

/** Work of the first organization. */
const cases: [work: string, job: JobTitle, make: (here: DueWorld) => Promise<unknown>][] = [
  ["a deleted account", "account deletions", ({ call }) => call("DELETE", "/api/v1/accounts/1")],
  [
    "a postponed erasure of the file",
    "file erasures",
    ({ execute }) => execute("UPDATE organizations SET erasure_pending_since = 0 WHERE id = 1"),
  ],
  ["an attachment", "attachments", ({ execute }) => execute(attachment)],
  [
    "texts of an attribute to convert",
    "attribute conversions",
    async ({ call }) => {
      await call("PATCH", "/api/v1/accounts/1", { attributes: { seats: "5" } });
      await call("PUT", "/api/v1/attributes/seats", { type: "number", convert: true });
    },
  ],
  ["a changed account", "scores", ({ change }) => change({ contactActivityAt: null })],
  [
    "a score that changes with time",
    "scores",
    async ({ execute, pass }) => {
      await execute("UPDATE accounts SET score_stale_at = NULL WHERE organization_id = 2");
      pass(4 * day);
    },
  ],
  ["a new event", "scores", ({ events, now }) => events(now())],
  ["the first event, of no account", "scores", ({ call }) => call("POST", "/api/v1/events", pendingEvent)],
  [
    "a pending event of 30 days",
    "pending events",
    async ({ call, jobs, engine, pass }) => {
      await call("POST", "/api/v1/events", pendingEvent);
      await runDueJobs({ jobs, engine });
      pass(30 * day);
    },
  ],
  [
    "an event of more than 35 days",
    "old events",
    async ({ events, now, pass }) => {
      await events(now());
      pass(35 * day + 1);
    },
  ],
  [
    "users of a final day",
    "expired users",
    async ({ execute, now }) => execute(expiringDay(Math.floor(now() / day) - 66)),
  ],
  ["changes of more than 400 days", "old changes", async ({ execute }) => execute(oldChanges)],
  [
    "changes of more than 400 days that an active webhook has delivered",
    "old changes",
    (here) => oldDelivered(here, 1, "delivered"),
  ],
  [
    "changes of more than 400 days that a paused webhook has not delivered",
    "old changes",
    (here) => oldDelivered(here, 0, "pending"),
  ],
  [
    "a delivery of 30 days",
    "old deliveries",
    async ({ execute, pass }) => {
      await execute(webhook(1, 1));
      await execute(delivery(1, "failed", beginning));
      pass(30 * day);
    },
  ],
];

test.each(cases)("%s makes the job %s due in its organization only", async (_work, job, make) => {
  const here = await dueWorld();
  expect(await here.due()).toEqual([[], []]);
  await make(here);
  const [first, second] = await here.due();
  expect([first?.includes(job), second?.includes(job)]).toEqual([true, false]);
  expect(await here.wrongConditions()).toEqual([]);
  await runDueJobs(here);
  expect(await here.due()).toEqual([[], []]);
});

/** Rows that become work later, or are work of another job. */
const idle: [rows: string, job: JobTitle, make: (here: DueWorld) => Promise<unknown>][] = [
  [
    "a pending event of almost 30 days",
    "pending events",
    async ({ call, pass }) => {
      await call("POST", "/api/v1/events", pendingEvent);
      pass(30 * day - 1);
    },
  ],
  [
    "an event of 35 days",
    "old events",
    async ({ events, now, pass }) => {
      await events(now());
      pass(35 * day);
    },
  ],
  [
    "users of the last day that is not final",
    "expired users",
    async ({ execute, now }) => execute(expiringDay(Math.floor(now() / day) - 65)),
  ],
  [
    "users of a final day during an attachment",
    "expired users",
    async ({ execute, now }) => {
      await execute(expiringDay(Math.floor(now() / day) - 66));
      await execute(attachment);
    },
  ],
  [
    "the only change, however old",
    "old changes",
    async ({ execute }) => {
      await execute("DELETE FROM changes WHERE organization_id = 1 AND sequence > 1");
      await execute("UPDATE changes SET changed_at = 0 WHERE organization_id = 1");
    },
  ],
  ["changes of 400 days", "old changes", async ({ pass }) => pass(400 * day)],
  [
    "changes after the position of an active webhook",
    "old changes",
    async ({ execute }) => {
      await execute(oldChanges);
      await execute(webhook(1, 0));
    },
  ],
  [
    "changes with pending deliveries of an active webhook",
    "old changes",
    (here) => oldDelivered(here, 1, "pending"),
  ],
  [
    "a pending delivery of 30 days",
    "old deliveries",
    async ({ execute, pass }) => {
      await execute(webhook(1, 1));
      await execute(delivery(1, "pending", beginning));
      pass(30 * day);
    },
  ],
  [
    "a delivery of almost 30 days",
    "old deliveries",
    async ({ execute, pass }) => {
      await execute(webhook(1, 1));
      await execute(delivery(1, "delivered", beginning));
      pass(30 * day - 1);
    },
  ],
];

test.each(idle)("%s is no work of the job %s", async (_rows, job, make) => {
  const here = await dueWorld();
  await make(here);
  for (const due of await here.due()) expect(due).not.toContain(job);
  expect(await here.wrongConditions()).toEqual([]);
});

const reset = "scores after a clock reset";

/** A world in which the clock was set back by two hours after a score of the first organization was computed. */
async function resetWorld() {
  const here = await dueWorld();
  here.jump(2 * hour);
  await here.change({ contactActivityAt: null });
  await runDueJobs(here);
  here.jump(-2 * hour);
  return here;
}

test("after a reset of the clock, scores that were computed for the future are due once", async () => {
  const here = await resetWorld();
  expect(await here.due()).toEqual([[reset], []]);
  expect(await here.wrongConditions()).toEqual([]);
  await runDueJobs(here);
  expect(await here.due()).toEqual([[], []]);
});

const followed: [work: string, make: (here: DueWorld) => Promise<unknown>][] = [
  ["an attachment", ({ execute }) => execute(attachment)],
  [
    "an event of a final day",
    async ({ events, now, pass }) => {
      await events(now());
      pass(66 * day);
    },
  ],
  [
    "a reset of the clock",
    async ({ change, jump, jobs, engine }) => {
      jump(2 * hour);
      await change({ contactActivityAt: null });
      await runDueJobs({ engine, jobs });
      jump(-2 * hour);
    },
  ],
];

test.each(followed)("one round does all work that follows from %s", async (_work, make) => {
  const here = await dueWorld();
  await make(here);
  await runDueJobs(here);
  here.pass(10);
  expect(await here.due()).toEqual([[], []]);
});

test("all jobs of each organization are listed without reading its rows; of a deleted one, its deletion", async () => {
  const { execute, jobs } = await dueWorld();
  await execute("UPDATE organizations SET deleted_at = 1 WHERE id = 2");
  await yieldToEventLoop();
  // In no order: the engine may find the deleted ones first.
  const listed = (await jobs.listAll([1, 2])).toSorted((a, b) => a.organizationId - b.organizationId);
  expect(listed).toEqual([
    { organizationId: 1, jobs: Object.keys(jobs.steps) as JobTitle[] },
    { organizationId: 2, jobs: ["organization deletions", ...(Object.keys(jobs.steps) as JobTitle[])] },
  ]);
});
