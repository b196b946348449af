import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { receiveEvents } from "../../src/events/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { day, healthWorld, hour } from "./health-world.ts";

test("an event between two refreshes at once, by the scheduler and by a request, is in the stored score", async () => {
  const { call, change, engine, events, first, health, list, now, scored, tenant, textOf } =
    await healthWorld();
  let afterWrite = () => {};
  const observed: Engine = {
    ...engine,
    write(organizationId, fn, options) {
      const written = engine.write(organizationId, fn, options);
      afterWrite();
      return written;
    },
  };
  const maxWaitMilliseconds = 30_000;
  const jobs = createJobs({
    engine: observed,
    reactions,
    eventDays: 35,
    changeDays: 400,
    maxWaitMilliseconds,
  });
  await scored(100);
  // 40 events of complete days are the next limit of the trend.
  const yesterday = now() - 23 * hour;
  await events(now() - 20 * day, 100);
  await events(yesterday, 10);
  const { scores: refresh } = jobs.steps;
  if (!refresh) throw new Error("there is no job of scores");
  await refresh(jobs.tenant(first.id));
  const pending = { event: "report.exported", externalId: "acme", timestamp: textOf(yesterday) };
  await call("POST", "/api/v1/events", { events: new Array(29).fill(pending) });
  await refresh(jobs.tenant(first.id));
  await change({ externalId: "acme" });
  const event = {
    event: "read",
    accountId: 1,
    messageId: null,
    timestamp: yesterday,
    userId: null,
    properties: null,
  };
  let received: Promise<unknown> | undefined;
  afterWrite = () => {
    received ??= tenant().write((tx) => receiveEvents(tx, [event]));
  };
  await Promise.all([refresh(jobs.tenant(first.id)), jobs.runJob(first.id, "scores")]);
  await received;
  const stored = (await list()).body.data[0].score;
  expect(stored).toBe((await health()).score);
});

test("an event after a refresh by another process, at the same time, is in the stored score", async () => {
  const { call, change, engine, events, first, health, jobs, list, now, scored, textOf } =
    await healthWorld();
  const other = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  await scored(100);
  const yesterday = now() - 23 * hour;
  await events(now() - 20 * day, 100);
  await events(yesterday, 10);
  const refresh = async ({ steps, tenant }: typeof jobs) => {
    while (await steps.scores?.(tenant(first.id)));
  };
  await refresh(jobs);
  const pending = { event: "report.exported", externalId: "acme", timestamp: textOf(yesterday) };
  await call("POST", "/api/v1/events", { events: new Array(29).fill(pending) });
  await refresh(jobs);
  // With these events, one more changes the score.
  await change({ externalId: "acme" });
  await refresh(other);
  await events(yesterday, 1);
  await refresh(jobs);
  const stored = (await list()).body.data[0].score;
  expect(stored).toBe((await health()).score);
});

test("the job continues after a full batch only, and what a request reads is up to date", async () => {
  const { first, jobs, list, scored } = await healthWorld();
  const { scores: refresh } = jobs.steps;
  if (!refresh) throw new Error("there is no job of scores");
  for (let i = 0; i < 101; i += 1) await scored(80);
  const tenant = jobs.tenant(first.id);
  expect([await refresh(tenant), await refresh(tenant), await refresh(tenant)]).toEqual([true, false, false]);
  await scored(80);
  // A step that began before the last change.
  const step = refresh(tenant);
  await scored(80);
  const { data, pagination } = (await list("?sortBy=score&sortOrder=desc")).body;
  await step;
  expect(pagination.total).toBe(103);
  expect(data[0].score).toBe(80);
  const { data: lowest } = (await list("?sortBy=score&sortOrder=asc")).body;
  expect(lowest[0].score).toBe(80);
});
