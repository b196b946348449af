import { expect, test } from "bun:test";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { beginning } from "../support/world.ts";
import { day, path, webhookWorld } from "./webhook-world.ts";

/** A world with five changes that are older than the retention, and a function that returns those that are left. */
async function oldWorld() {
  const here = await webhookWorld();
  await here.change(5);
  here.pass(401 * day);
  return {
    ...here,
    async left(): Promise<number[]> {
      // All reads of one turn have one snapshot, also of rows that the test changed.
      await yieldToEventLoop();
      await runDueJobs(here);
      const { data } = (await here.call("GET", "/api/v1/changes")).body;
      return data.map(({ sequence }: { sequence: number }) => sequence);
    },
    setPosition: (id: number, position: number) =>
      here.execute(`UPDATE webhooks SET position = ${position} WHERE id = ${id}`),
  };
}

test("changes after the position of an active webhook are kept, until it advances or is paused", async () => {
  const { create, send, left, setPosition } = await oldWorld();
  const [one, other] = [await create(), await create()];
  await setPosition(one.id, 2);
  await setPosition(other.id, 4);
  expect(await left()).toEqual([3, 4, 5]);
  await setPosition(one.id, 3);
  expect(await left()).toEqual([4, 5]);
  await send("PATCH", `${path}/${one.id}`, { active: false });
  await send("PATCH", `${path}/${other.id}`, { active: false });
  expect(await left()).toEqual([5]);
});

test("changes with a pending delivery of an active webhook are kept, and so are later ones", async () => {
  const { create, send, deliver, left, setPosition } = await oldWorld();
  const { id } = await create();
  await setPosition(id, 5);
  await deliver(id, 1, "delivered");
  await deliver(id, 3, "pending");
  expect(await left()).toEqual([3, 4, 5]);
  await send("DELETE", `${path}/${id}`);
  expect(await left()).toEqual([5]);
});

test("deliveries are deleted after 30 days, unless they are pending", async () => {
  const { create, deliver, pass, sequences, ...here } = await webhookWorld();
  const { id } = await create();
  for (const [sequence, status, createdAt] of [
    [1, "delivered", beginning],
    [2, "failed", beginning],
    [3, "pending", beginning],
    [4, "delivered", beginning + 1],
  ] as const)
    await deliver(id, sequence, status, createdAt);
  pass(30 * day - 1);
  await runDueJobs(here);
  expect(await sequences(id)).toEqual([4, 3, 2, 1]);
  pass(1);
  await runDueJobs(here);
  expect(await sequences(id)).toEqual([4, 3]);
});

test("an erasure deletes the responses to deliveries of changes with values of the person", async () => {
  const { create, account, call, deliver, send } = await webhookWorld();
  const { id } = await create();
  const { id: accountId } = await account({ name: "Acme" });
  for (const email of ["ada@x.io", "grace@x.io"])
    await call("POST", `/api/v1/accounts/${accountId}/contacts`, { name: "A", email });
  for (const sequence of [1, 2, 3]) await deliver(id, sequence, "delivered");
  await send("POST", "/api/v1/erasures", { email: "ada@x.io" });
  const deliveries = await send("GET", `${path}/${id}/deliveries`);
  expect(deliveries.map(({ type, responseBody }: Record<string, unknown>) => [type, responseBody])).toEqual([
    ["contact.created", "busy"],
    ["contact.created", null],
    ["account.created", "busy"],
  ]);
});
