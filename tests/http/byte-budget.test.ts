import { expect, test } from "bun:test";
import { Problem } from "../../src/core/errors.ts";
import { noOrganization } from "../../src/core/turns.ts";
import { ByteBudget, type Reservation } from "../../src/http/byte-budget.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import type { Fetch } from "../../src/http/fetch.ts";

/** A reservation of a request that runs until `end` is called. */
function begin(budget: ByteBudget, owner: number) {
  const ended = Promise.withResolvers<void>();
  let reservation: Reservation | undefined;
  const reply = budget.run(new Request("http://x/", { method: "POST", body: "x" }), async (request) => {
    reservation = budget.reservationOf(request);
    await ended.promise;
    return new Response();
  });
  if (!reservation) throw new Error("there is no reservation");
  reservation.owner = owner;
  return {
    add: (bytes: number) => reservation?.add(bytes),
    beginWork: (bytes: number, organizationId = owner) => reservation?.beginWork(organizationId, bytes),
    end: () => {
      ended.resolve();
      return reply;
    },
  };
}

const response = (organizationId: number, bytes: number) => ({ organizationId, bytes, isResponse: true });

/** Whether the bytes wait: they get no room in this turn of the event loop. */
async function isWaiting(added: Promise<void> | undefined): Promise<boolean> {
  added?.catch(() => {});
  return Promise.race([added?.then(() => false) ?? false, Bun.sleep(1).then(() => true)]);
}

test("an organization can use half of the budget that others leave, so that some is always left", async () => {
  const budget = new ByteBudget(1_000);
  const [first, second, third] = [begin(budget, 1), begin(budget, 1), begin(budget, 2)];
  await first.add(300);
  await second.add(200);
  expect(await isWaiting(begin(budget, 1).add(1))).toBe(true);
  await third.add(250);
  expect(await isWaiting(begin(budget, 2).add(1))).toBe(true);
  for (const [i, bytes] of [125, 62, 31].entries()) {
    await begin(budget, 3 + i).add(bytes);
    expect(await isWaiting(begin(budget, 3 + i).add(1))).toBe(true);
  }
  expect(budget.usedBytes).toBe(968);
  // Each organization that waits gets its byte.
  await first.end();
  expect(budget.usedBytes).toBe(673);
});

test("responses use at most half of the bytes of an organization, so that its bodies have room", async () => {
  const budget = new ByteBudget(1_200);
  expect(budget.acquire(response(1, 400))).toBeUndefined();
  expect(await isWaiting(budget.acquire(response(1, 1)))).toBe(true);
  await begin(budget, 1).add(200);
  expect(budget.hasRoom(1)).toBe(true);
  // The response to a write.
  budget.use(1, 100);
  expect([budget.hasRoom(1), budget.hasRoom(2)]).toEqual([false, true]);
});

test("all requests without a key together can use a tenth of the budget", async () => {
  const budget = new ByteBudget(1_000);
  const [first, second] = [begin(budget, 0), begin(budget, 0)];
  await first.add(60);
  await second.add(40);
  expect(await isWaiting(begin(budget, 0).add(1))).toBe(true);
});

test("an organization has at most 512 KiB of large bodies at once in work, in the order of their arrival", async () => {
  const budget = new ByteBudget(1_000);
  const half = 262_144;
  const [first, second, third, other] = [
    begin(budget, 1),
    begin(budget, 1),
    begin(budget, 1),
    begin(budget, 2),
  ];
  expect(await isWaiting(first.beginWork(4 * half))).toBe(false);
  const order: string[] = [];
  const begun = second.beginWork(half)?.then(() => order.push("second"));
  // It does not overtake a larger one.
  const last = third.beginWork(1)?.then(() => order.push("third"));
  expect(await isWaiting(other.beginWork(half))).toBe(false);
  expect(order).toEqual([]);
  await first.end();
  await Promise.all([begun, last]);
  expect(order).toEqual(["second", "third"]);
  expect(await isWaiting(begin(budget, 1).beginWork(half))).toBe(true);
  expect(await isWaiting(begin(budget, 2).beginWork(half))).toBe(false);
});

test("a body that waits for others of its organization does not use the bytes of requests without a key", async () => {
  const budget = new ByteBudget(1_000);
  expect(await isWaiting(begin(budget, 1).beginWork(524_288))).toBe(false);
  const first = begin(budget, noOrganization);
  await first.add(90);
  const second = begin(budget, noOrganization).add(90);
  expect(await isWaiting(second)).toBe(true);
  expect(await isWaiting(first.beginWork(1, 1))).toBe(true);
  expect(await isWaiting(second)).toBe(false);
});

test("bytes wait in the order of their requests, and an organization without waiting ones is not delayed", async () => {
  const budget = new ByteBudget(1_000);
  budget.use(1, 500);
  const order: string[] = [];
  const large = budget.acquire(response(1, 300))?.then(() => order.push("large"));
  const small = budget.acquire(response(1, 1))?.then(() => order.push("small"));
  expect(budget.acquire(response(2, 100))).toBeUndefined();
  budget.release(2, 100);
  await Bun.sleep(1);
  expect(order).toEqual([]);
  budget.release(1, 500);
  await Promise.all([large, small]);
  expect(order).toEqual(["large", "small"]);
});

test("a body that waits starts before a response that waits for the clients of the organization", async () => {
  const budget = new ByteBudget(1_200);
  const order: string[] = [];
  expect(budget.acquire(response(1, 390))).toBeUndefined();
  await begin(budget, 1).add(200);
  const large = budget.acquire(response(1, 200))?.then(() => order.push("response"));
  const small = budget.acquire(response(1, 1))?.then(() => order.push("small response"));
  const body = begin(budget, 1)
    .add(100)
    ?.then(() => void order.push("body"));
  expect(await isWaiting(body)).toBe(true);
  budget.release(1, 200);
  expect(await isWaiting(body)).toBe(false);
  expect(order).toEqual(["body"]);
  budget.release(1, 390);
  await Promise.all([large, small]);
  expect(order).toEqual(["body", "response", "small response"]);
});

test("4 MiB of an organization wait, 16 MiB of all, and one request of any size", async () => {
  const mebibyte = 1_048_576;
  const budget = new ByteBudget(mebibyte);
  const owners = Array.from({ length: 7 }, (_, i) => i + 1);
  for (const id of owners) budget.use(id, mebibyte);
  const stateOf = async (organizationId: number, mebibytes: number) => {
    const added = budget.acquire(response(organizationId, mebibytes * mebibyte));
    const refused = added?.then(
      () => "used",
      (error: unknown) => (error instanceof Problem ? error.code : error),
    );
    return Promise.race([refused, Bun.sleep(1).then(() => "waits")]);
  };
  expect(await stateOf(1, 6)).toBe("waits");
  expect(await stateOf(1, 1)).toBe("too_busy");
  expect([await stateOf(2, 3), await stateOf(2, 1), await stateOf(2, 1)]).toEqual([
    "waits",
    "waits",
    "too_busy",
  ]);
  expect([await stateOf(3, 4), await stateOf(4, 2)]).toEqual(["waits", "waits"]);
  expect([await stateOf(5, 1), await stateOf(4, 1)]).toEqual(["too_busy", "too_busy"]);
});

test("bytes that find no room are 503 after 5 s, and at once as the 33rd of their organization", async () => {
  const budget = new ByteBudget(1_000);
  budget.use(1, 500);
  const start = performance.now();
  const codeOf = (added: Promise<void> | undefined) =>
    added?.then(
      () => "used",
      (error: unknown) => (error instanceof Problem ? [error.code, error.status, error.headers] : error),
    );
  const tooBusy = ["too_busy", 503, { "retry-after": "1" }];
  const waiting = Array.from({ length: 32 }, () => codeOf(budget.acquire(response(1, 1))));
  expect(await codeOf(budget.acquire(response(1, 1)))).toEqual(tooBusy);
  expect(performance.now() - start).toBeLessThan(1_000);
  expect((await codeOf(budget.acquire(response(2, 1)))) ?? "used").toBe("used");
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => tooBusy));
  expect(performance.now() - start).toBeGreaterThan(4_900);
});

test("a request that waits for bytes ends when its client disconnects", async () => {
  const budget = new ByteBudget(1_000);
  budget.use(1, 500);
  const disconnected = new AbortController();
  const waiting = budget.acquire(response(1, 100), new Request("http://x/", { signal: disconnected.signal }));
  disconnected.abort();
  await expect(waiting).rejects.toMatchObject({ code: "too_busy" });
  budget.release(1, 500);
  expect(budget.usedBytes).toBe(0);
});

test("a request behind one that waits no longer is started, and one whose client has left does not wait", async () => {
  const budget = new ByteBudget(1_000);
  budget.use(1, 200);
  const disconnected = new AbortController();
  const request = new Request("http://x/", { signal: disconnected.signal });
  const large = budget.acquire(response(1, 900), request);
  const small = budget.acquire(response(1, 10));
  disconnected.abort();
  await expect(large).rejects.toMatchObject({ code: "too_busy" });
  expect(await isWaiting(small)).toBe(false);
  const late = budget.acquire(response(1, 900), request)?.catch(({ code }) => code);
  expect(await Promise.race([late, Bun.sleep(50)])).toBe("too_busy");
  expect(budget.usedBytes).toBe(210);
});

test("a response over half of a budget is sent when nothing else uses it", async () => {
  const budget = new ByteBudget(1_000);
  expect(budget.acquire(response(1, 2_000))).toBeUndefined();
  const waiting = budget.acquire(response(2, 2_000));
  expect(await isWaiting(waiting)).toBe(true);
  budget.release(1, 2_000);
  await waiting;
});

test("the bytes of a request are free after an error", async () => {
  const budget = new ByteBudget(1_000);
  const reply = budget.run(new Request("http://x/", { method: "PUT", body: "x" }), async (request) => {
    await budget.reservationOf(request)?.add(50);
    throw new Error("failed");
  });
  await expect(reply).rejects.toThrow("failed");
  expect(budget.usedBytes).toBe(0);
});

test("the rejection of a large body is delayed", async () => {
  const timeOf = async (status: number, headers: Record<string, string>, isRead = true) => {
    const app: Fetch = async (request) => {
      if (isRead) await request.text();
      return new Response(null, { status });
    };
    const start = performance.now();
    const request = new Request("http://x/", { method: "POST", headers, body: "x" });
    await createFetch(app, { delayMilliseconds: 200 })(request);
    return performance.now() - start;
  };
  const large = { "content-length": "16385" };
  for (const [status, headers, isRead] of [
    [401, large, true],
    [413, { "content-encoding": "gzip" }, true],
    [503, { "transfer-encoding": "chunked" }, true],
    [404, large, false],
  ] as const)
    expect(await timeOf(status, headers, isRead)).toBeGreaterThanOrEqual(95);
  expect(await timeOf(401, { "content-length": "16384" })).toBeLessThan(95);
  expect(await timeOf(200, large)).toBeLessThan(95);
  expect(await timeOf(400, large)).toBeLessThan(95);
});
