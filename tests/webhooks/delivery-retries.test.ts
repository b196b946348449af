import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { deliveryWorld, startEndpoint, until } from "./delivery-world.ts";

const [second, minute] = [1_000, 60_000];
const [hour, day] = [60 * minute, 24 * 60 * minute];
const delays = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  day,
  day,
  day,
  day,
  day,
];
const fail =
  (status: number, headers = {}) =>
  () =>
    new Response(null, { status, headers });
const succeed = () => new Response();

/** A delivery world with a webhook and one account, whose first delivery has failed. */
async function failedOnce(status = 500, headers = {}) {
  const world = await deliveryWorld();
  const endpoint = await startEndpoint(fail(status, headers));
  const { id } = await world.webhook({ url: endpoint.url });
  await world.account({ name: "Acme" });
  await endpoint.count(1);
  const attempted = (count: number) =>
    until(async () => (await world.deliveries(id)).some(({ attempts }) => attempts === count));
  await attempted(1);
  return { ...world, id, endpoint, attempted };
}

test("a delivery that failed is attempted again after five seconds, with the same id", async () => {
  const { id, endpoint, attempted, deliveries, pass } = await failedOnce();
  expect(await deliveries(id)).toMatchObject([
    { sequence: 1, status: "pending", attempts: 1, responseStatus: 500, error: "status" },
  ]);
  endpoint.answerWith(succeed);
  pass(4_900);
  await Bun.sleep(600);
  expect(endpoint.received.length).toBe(1);
  pass(700);
  await attempted(2);
  const [first, retry] = endpoint.received;
  expect(retry?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(retry?.text).toBe(first?.text);
  expect(retry?.headers["webhook-timestamp"]).not.toBe(first?.headers["webhook-timestamp"]);
  expect(await deliveries(id)).toMatchObject([{ sequence: 1, status: "delivered", attempts: 2 }]);
});

test("after the last retry, the webhook is disabled with the reason; all that was not delivered is sent when it is active again", async () => {
  const { id, endpoint, attempted, deliveries, pass, get, patch, account, lines, first } = await failedOnce();
  await account({ name: "Next" });
  for (const [i, delay] of delays.entries()) {
    pass(Math.ceil(delay * 1.1));
    await attempted(i + 2);
  }
  const reason = "All 13 attempts of delivery 1 failed, the last one with the status 500.";
  await until(async () => !(await get(id)).active);
  expect(await get(id)).toMatchObject({ active: false, disabledReason: reason });
  expect((await deliveries(id))[0]).toMatchObject({ status: "failed", attempts: 13, nextAttemptAt: null });
  expect(lines.filter(({ event }) => event === "webhook_disabled")).toEqual([
    { event: "webhook_disabled", fields: { organizationId: first.id, webhookId: id, reason } },
  ]);
  const count = endpoint.received.length;
  pass(30 * day);
  await account({ name: "While disabled" });
  await Bun.sleep(600);
  expect(endpoint.received.length).toBe(count);
  endpoint.answerWith(succeed);
  await patch(id, { active: true });
  await endpoint.count(count + 3);
  expect(endpoint.sequences().slice(count).toSorted()).toEqual([1, 2, 3]);
});

test("an endpoint that responds with 410 gets nothing more", async () => {
  const { id, endpoint, get, account, deliveries } = await failedOnce(410);
  await until(async () => !(await get(id)).active);
  expect(await get(id)).toMatchObject({
    active: false,
    disabledReason: "The endpoint responded with 410 Gone.",
  });
  await account({ name: "Other" });
  await Bun.sleep(300);
  expect(endpoint.received.length).toBe(1);
  expect(await deliveries(id)).toMatchObject([{ status: "pending", attempts: 1, responseStatus: 410 }]);
});

test("a webhook whose delivery is retried during an attempt that ends in 410 is not disabled, also in the log", async () => {
  const { id, endpoint, attempted, deliveries, pass, get, retry, lines } = await failedOnce();
  endpoint.answerWith(async () => {
    await retry(id, 1);
    endpoint.answerWith(succeed);
    return fail(410)();
  });
  pass(6_000);
  await endpoint.count(3);
  await attempted(1);
  await until(async () => (await deliveries(id)).every(({ status }) => status === "delivered"));
  expect(await get(id)).toMatchObject({ active: true, disabledReason: null });
  expect(lines.filter(({ event }) => event === "webhook_disabled")).toEqual([]);
});

test("a pending delivery whose change is not stored any more fails, and the next one is sent", async () => {
  const { id, endpoint, stop, start, pass, account, execute, deliveries, get } = await failedOnce();
  await account({ name: "Other" });
  await stop();
  await execute("DELETE FROM changes WHERE sequence = 1");
  endpoint.answerWith(succeed);
  pass(6_000);
  start();
  await until(async () => (await deliveries(id)).every(({ status }) => status !== "pending"));
  expect(await deliveries(id)).toMatchObject([
    { sequence: 1, status: "failed", attempts: 1, error: "change_expired" },
    { sequence: 2, status: "delivered" },
  ]);
  expect(await get(id)).toMatchObject({ active: true, disabledReason: null, position: 2 });
});

test.each([429, 503])("after %i, nothing is sent before the time in Retry-After", async (status) => {
  const { id, endpoint, account, attempted, deliveries, pass, now } = await failedOnce(status, {
    "retry-after": "40",
  });
  expect((await deliveries(id))[0]?.nextAttemptAt).toBe(new Date(now() + 40_000).toISOString());
  endpoint.answerWith(succeed);
  await account({ name: "Other" });
  pass(39_000);
  await Bun.sleep(600);
  expect(endpoint.received.length).toBe(1);
  pass(1_000);
  await attempted(2);
});

test("an endpoint that fails gets the first attempts of further accounts one by one, with growing pauses", async () => {
  const { endpoint, account, pass } = await failedOnce();
  for (let count = 0; count < 20; count += 1) await account({ name: "Acme" });
  for (let second = 0; second < 4; second += 1) {
    pass(1_000);
    await Bun.sleep(400);
  }
  // The third one after 1 s, the fourth one after 2 s more, the next one after 4 s.
  expect(endpoint.sequences()).toEqual([1, 2, 3, 4]);
});

test("a retry during an attempt that fails is made at once, with all attempts before it", async () => {
  const { id, endpoint, retry, deliveries, pass } = await failedOnce();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  endpoint.answerWith(async () => {
    await answered;
    return fail(500)();
  });
  pass(5_500);
  await endpoint.count(2);
  await retry(id, 1);
  answer();
  await endpoint.count(3);
  await until(async () => (await deliveries(id))[0]?.attempts === 1);
});

test("a paused webhook gets nothing; it goes on where it stopped", async () => {
  const { webhook, account, patch } = await deliveryWorld();
  const endpoint = await startEndpoint();
  const { id } = await webhook({ url: endpoint.url });
  await account({ name: "Acme" });
  await endpoint.count(1);
  await patch(id, { active: false });
  await account({ name: "Other" });
  await Bun.sleep(300);
  expect(endpoint.sequences()).toEqual([1]);
  await patch(id, { active: true });
  await endpoint.count(2);
  expect(endpoint.sequences()).toEqual([1, 2]);
});

test("a changed URL, types and a retry are used at once; a replay sends again what was sent", async () => {
  const { webhook, account, patch, retry, replay, deliveries } = await deliveryWorld();
  const [old, endpoint] = [await startEndpoint(fail(500)), await startEndpoint()];
  const { id } = await webhook({ url: old.url });
  await account({ name: "Acme" });
  await until(async () => (await deliveries(id))[0]?.attempts === 1);
  await patch(id, { url: endpoint.url });
  await until(async () => (await deliveries(id))[0]?.status === "delivered");
  await retry(id, 1);
  await endpoint.count(2);
  await account({ name: "Other" });
  await endpoint.count(3);
  await replay(id, 0);
  await endpoint.count(5);
  await patch(id, { types: ["account.deleted"] });
  await account({ name: "Third" });
  await Bun.sleep(300);
  expect(old.sequences()).toEqual([1]);
  expect(endpoint.sequences()).toEqual([1, 1, 2, 1, 2]);
});

test("other types apply to the changes after the webhook has passed", async () => {
  const { webhook, send, account } = await deliveryWorld();
  const endpoint = await startEndpoint();
  const { id } = await webhook({ url: endpoint.url, types: ["contact.created"] });
  const { id: accountId } = await account({ name: "Acme" });
  await until(async () => (await send("GET", `/api/v1/webhooks/${id}`)).position === 1);
  await send("PATCH", `/api/v1/webhooks/${id}`, { types: null });
  await send("PATCH", `/api/v1/accounts/${accountId}`, { mrr: 5 });
  await endpoint.count(1);
  expect(endpoint.sequences()).toEqual([2]);
});

test("at a stop, attempts that run are ended without a result; the next start repeats them", async () => {
  const { webhook, account, stop, start, deliveries } = await deliveryWorld();
  const endpoint = await startEndpoint(() => new Promise<Response>(() => {}));
  const { id } = await webhook({ url: endpoint.url });
  await account({ name: "Acme" });
  await endpoint.count(1);
  const begin = performance.now();
  await stop();
  expect(performance.now() - begin).toBeLessThan(1_000);
  expect(await deliveries(id)).toMatchObject([{ status: "pending", attempts: 0 }]);
  endpoint.answerWith(succeed);
  start();
  await endpoint.count(2);
  await until(async () => (await deliveries(id))[0]?.status === "delivered");
  expect(endpoint.sequences()).toEqual([1, 1]);
});

/** Jobs whose reads of a webhook wait for `release`. */
function blockedJobs(engine: Engine) {
  const gate = Promise.withResolvers<void>();
  let blockedCount = 0;
  const blocked: Engine = {
    ...engine,
    async read(fn, options) {
      const result = await engine.read(fn, options);
      if (!options?.isOneStatement) blockedCount += 1;
      if (!options?.isOneStatement) await gate.promise;
      return result;
    },
  };
  const jobs = createJobs({ engine: blocked, reactions, eventDays: 35, changeDays: 400 });
  return { jobs, release: gate.resolve, blocked: () => until(() => blockedCount > 0) };
}

test("a stop while a webhook is read ends, and nothing is sent after it", async () => {
  const { engine, endpoint, stop, start, pass } = await failedOnce();
  await stop();
  pass(6_000);
  const { jobs, release, blocked } = blockedJobs(engine);
  start(jobs);
  await blocked();
  const stopped = stop();
  release();
  await stopped;
  await Bun.sleep(100);
  expect(endpoint.received.length).toBe(1);
});

test("a URL that is changed while the webhook is read is used at once", async () => {
  const { engine, id, endpoint, stop, start, pass, patch } = await failedOnce();
  await stop();
  pass(6_000);
  const { jobs, release, blocked } = blockedJobs(engine);
  start(jobs);
  await blocked();
  const changed = await startEndpoint();
  await patch(id, { url: changed.url });
  await Bun.sleep(300);
  release();
  await changed.count(1);
  expect(endpoint.received.length).toBe(1);
});
