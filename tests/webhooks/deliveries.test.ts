import { expect, test } from "bun:test";
import { beginningText, type Reply } from "../support/world.ts";
import { path, webhookWorld } from "./webhook-world.ts";

test("the deliveries of a webhook are listed newest first, with the type of their change", async () => {
  const { call, create, change, deliver } = await webhookWorld();
  const [{ id }, other] = [await create(), await create()];
  await change(2);
  await deliver(id, 1, "failed");
  await deliver(id, 2, "pending");
  await deliver(id, 3, "delivered");
  await deliver(other.id, 9, "delivered");
  const failed = {
    id: 1,
    sequence: 1,
    type: "account.created",
    accountId: 1,
    status: "failed",
    attempts: 2,
    nextAttemptAt: null,
    attemptedAt: beginningText,
    responseStatus: 500,
    responseBody: "busy",
    error: "status",
    durationMilliseconds: 12,
    createdAt: beginningText,
  };
  const none = { attemptedAt: null, responseStatus: null, responseBody: null, error: null };
  const { status, body } = await call("GET", `${path}/${id}/deliveries`);
  expect(status).toBe(200);
  expect(body.data).toEqual([
    { ...failed, id: 3, sequence: 3, accountId: 3, type: null, status: "delivered", error: null },
    { ...failed, id: 2, sequence: 2, accountId: 2, status: "pending", ...none, nextAttemptAt: beginningText },
    failed,
  ]);
  expect(body.pagination).toEqual({ pageSize: 25, hasNextPage: false, nextCursor: null });
  expect((await call("GET", `${path}/${id}/deliveries/1`)).body).toEqual({ data: failed });
});

test("the deliveries are filtered by status, and read by cursor", async () => {
  const { call, create, deliver, sequences } = await webhookWorld();
  const { id } = await create();
  const statuses = ["pending", "delivered", "failed"] as const;
  for (let sequence = 1; sequence <= 9; sequence += 1)
    await deliver(id, sequence, statuses[sequence % 3] ?? "pending");
  expect(await sequences(id, "?status=pending")).toEqual([9, 6, 3]);
  expect(await sequences(id, "?status=delivered")).toEqual([7, 4, 1]);
  expect(await sequences(id, "?status=failed")).toEqual([8, 5, 2]);
  for (const [query, expected] of [
    ["", [9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["&status=failed", [8, 5, 2]],
  ] as const) {
    const found: number[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const target = `${path}/${id}/deliveries?pageSize=2${query}&cursor=`;
      const reply: Reply = await call("GET", target + cursor);
      found.push(...reply.body.data.map(({ sequence }: { sequence: number }) => sequence));
      cursor = reply.body.pagination.nextCursor;
    }
    expect(found).toEqual([...expected]);
  }
  const { nextCursor } = (await call("GET", `${path}/${id}/deliveries?pageSize=2`)).body.pagination;
  for (const query of [`?cursor=${nextCursor}&status=failed`, "?cursor=x"])
    expect((await call("GET", `${path}/${id}/deliveries${query}`)).body.code).toBe("invalid_cursor");
  expect((await call("GET", `${path}/${id}/deliveries?status=done`)).status).toBe(400);
});

test("pendingCount is the number of pending deliveries of the webhook", async () => {
  const { create, send, deliver } = await webhookWorld();
  const [one, other] = [await create(), await create()];
  await deliver(one.id, 1, "pending");
  await deliver(one.id, 2, "pending");
  await deliver(one.id, 3, "failed");
  await deliver(other.id, 1, "delivered");
  const listed = await send("GET", path);
  expect(listed.map(({ pendingCount }: { pendingCount: number }) => pendingCount)).toEqual([2, 0]);
});

test.each(["failed", "delivered", "pending"])(
  "a retry makes a delivery that is %s due now",
  async (status) => {
    const { create, change, deliver, send, pass, now, versionOf, sequences } = await webhookWorld();
    const { id } = await create();
    await change(1);
    await deliver(id, 1, status);
    pass(7_000);
    const retried = await send("POST", `${path}/${id}/deliveries/1/retry`);
    expect(retried).toEqual({
      ...{ id: 1, sequence: 1, type: "account.created", accountId: 1, status: "pending", attempts: 0 },
      nextAttemptAt: new Date(now()).toISOString(),
      ...{ attemptedAt: null, responseStatus: null, responseBody: null, error: null },
      durationMilliseconds: null,
      createdAt: beginningText,
    });
    expect(await send("GET", `${path}/${id}/deliveries/1`)).toEqual(retried);
    expect(await sequences(id, "?status=pending")).toEqual([1]);
    expect(await versionOf(id)).toBe(2);
  },
);

test("a delivery is not retried while its webhook is not active, or when its change was deleted", async () => {
  const { call, create, change, deliver, send, execute, sequences } = await webhookWorld();
  const { id } = await create();
  await change(3);
  await deliver(id, 1, "failed");
  await deliver(id, 3, "failed");
  const retry = async (sequence: number) => {
    const { status, body } = await call("POST", `${path}/${id}/deliveries/${sequence}/retry`);
    return [status, body.code, body.firstSequence];
  };
  await send("PATCH", `${path}/${id}`, { active: false });
  expect(await retry(1)).toEqual([409, "webhook_inactive", undefined]);
  await send("PATCH", `${path}/${id}`, { active: true });
  await execute("DELETE FROM changes WHERE sequence < 3");
  expect(await retry(1)).toEqual([410, "changes_expired", 3]);
  expect(await retry(2)).toEqual([404, "not_found", undefined]);
  // They are due again with the webhook.
  expect(await sequences(id, "?status=pending")).toEqual([3, 1]);
  expect((await retry(3))[0]).toBe(200);
});

test("a retry makes due what has to be delivered before: of the account, or of a strict webhook all", async () => {
  const { create, change, deliver, execute, send, rows } = await webhookWorld();
  await change(4);
  for (const [ordered, expected] of [
    ["account", [1, 3]],
    ["strict", [1, 2, 3]],
  ] as const) {
    const { id } = await create({ ordered });
    for (const sequence of [1, 2, 3, 4]) await deliver(id, sequence, "pending");
    await execute("UPDATE webhook_deliveries SET next_attempt_at = 9e14, account_id = sequence % 2");
    await send("POST", `${path}/${id}/deliveries/3/retry`);
    const due = await rows<{ sequence: number }>(
      "SELECT sequence FROM webhook_deliveries WHERE webhook_id = ? AND next_attempt_at < 9e14 ORDER BY sequence",
      id,
    );
    expect(due.map(({ sequence }) => Number(sequence))).toEqual([...expected]);
    expect(await send("GET", `${path}/${id}`)).toMatchObject({ pendingCount: 4, retryingCount: 3 });
  }
});

test("a replay sets the position back and deletes the deliveries after it", async () => {
  const { create, change, deliver, send, execute, versionOf, sequences } = await webhookWorld();
  const [{ id }, other] = [await create(), await create()];
  await change(4);
  await execute(`UPDATE webhooks SET position = 4`);
  for (const [sequence, status] of [
    [1, "delivered"],
    [2, "failed"],
    [3, "delivered"],
    [4, "pending"],
  ] as const)
    for (const webhook of [id, other.id]) await deliver(webhook, sequence, status);
  const replayed = await send("POST", `${path}/${id}/replay`, { after: 1 });
  expect(replayed).toMatchObject({ id, position: 1, pendingCount: 0 });
  expect(await send("GET", `${path}/${id}`)).toEqual(replayed);
  expect(await sequences(id)).toEqual([1]);
  expect(await sequences(other.id)).toEqual([4, 3, 2, 1]);
  expect([await versionOf(id), await versionOf(other.id)]).toEqual([2, 1]);
});

test("a replay leaves out no change that the webhook has not reached", async () => {
  const { create, change, send } = await webhookWorld();
  const { id, position } = await create();
  expect(position).toBe(0);
  await change(4);
  for (const target of ["replay?dryRun=true", "replay"])
    expect((await send("POST", `${path}/${id}/${target}`, { after: 4 })).position).toBe(0);
});

test("a replay of changes that do not exist, or not any more, changes nothing", async () => {
  const { call, create, change, deliver, execute, send, sequences } = await webhookWorld();
  const { secret, ...webhook } = await create();
  const target = `${path}/${webhook.id}/replay`;
  expect((await call("POST", target, { after: 0 })).status).toBe(200);
  await change(3);
  await deliver(webhook.id, 3, "delivered");
  const before = await send("GET", `${path}/${webhook.id}`);
  for (const [after, code] of [
    [4, "out_of_range"],
    [-1, "out_of_range"],
    ["1", "wrong_type"],
    [undefined, "required"],
  ] as const) {
    const { status, body } = await call("POST", target, { after });
    expect([after, status, body.errors]).toMatchObject([after, 400, [{ pointer: "/after", code }]]);
  }
  await execute("DELETE FROM changes WHERE sequence < 3");
  const expired = await call("POST", target, { after: 1 });
  expect([expired.status, expired.body.code, expired.body.firstSequence]).toEqual([
    410,
    "changes_expired",
    3,
  ]);
  expect(await send("GET", `${path}/${webhook.id}`)).toEqual(before);
  expect(await sequences(webhook.id)).toEqual([3]);
  expect((await call("POST", target, { after: 2 })).status).toBe(200);
});

test("an unknown webhook or delivery is not found", async () => {
  const { call, create } = await webhookWorld();
  const { id } = await create();
  for (const [method, target, body] of [
    ["GET", "/99/deliveries", undefined],
    ["GET", "/99/deliveries/1", undefined],
    ["GET", `/${id}/deliveries/1`, undefined],
    ["POST", `/${id}/deliveries/1/retry`, undefined],
    ["POST", "/99/replay", { after: 0 }],
    ["POST", "/99/rotate", undefined],
    ["POST", "/99/test", undefined],
    ["PATCH", "/99", { active: true }],
  ] as const) {
    const { status, body: problem } = await call(method, path + target, body);
    expect([target, status, problem.code]).toEqual([target, 404, "not_found"]);
  }
});
