import { expect, test } from "bun:test";
import { Problem } from "../../src/core/errors.ts";
import { maxWorkMilliseconds, noOrganization, takeTurn } from "../../src/core/turns.ts";
import { topLevelText } from "../../src/http/body/json-text.ts";
import { ByteBudget, type Reservation } from "../../src/http/byte-budget.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import type { Fetch } from "../../src/http/fetch.ts";
import { world } from "../support/world.ts";

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

test("a body for which there is no room waits until there is", async () => {
  const budget = new ByteBudget(4_000);
  const { call } = await world({ budget });
  const send = (size: number) => call("POST", "/api/v1/accounts", { name: "A", more: "x".repeat(size) });
  budget.use(999, 2_000);
  const sent = send(1_500);
  expect(await Promise.race([sent, Bun.sleep(50)])).toBeUndefined();
  budget.release(999, 2_000);
  expect((await sent).status).toBe(201);
  expect(budget.usedBytes).toBe(0);
});

test("a body with content-length uses the budget before it is read, a large one without for 1 MiB until it is read", async () => {
  const budget = new ByteBudget(4_000_000);
  const { app, first } = await world({ budget });
  const used: number[] = [];
  const send = async (size: number, hasLength: boolean) => {
    const body = Buffer.from(JSON.stringify({ name: "A", more: "x".repeat(size) }));
    const chunks = [body.subarray(0, 10_000), body.subarray(10_000)];
    const request = new Request("http://localhost/api/v1/accounts", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": first.key,
        ...(hasLength && { "content-length": String(body.length) }),
      },
      body: new ReadableStream({
        async pull(controller) {
          await Bun.sleep(5);
          used.push(budget.usedBytes);
          const chunk = chunks.shift();
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
      }),
    });
    return (await budget.run(request, app.fetch)).status;
  };
  expect(await send(150_000, true)).toBe(201);
  expect(used).toEqual([150_022, 150_022, 150_022]);
  used.length = 0;
  expect(await send(150_000, false)).toBe(201);
  expect(used).toEqual([0, 10_000, 1_048_576]);
  used.length = 0;
  expect(await send(15_000, false)).toBe(201);
  expect(used).toEqual([0, 10_000, 15_022]);
  expect(budget.usedBytes).toBe(0);
});

/** Uses the time of an organization in this turn of the event loop. */
function useTurn(organizationId: number): void {
  takeTurn(organizationId);
  const end = performance.now() + 2 * maxWorkMilliseconds;
  while (performance.now() < end);
}

async function drainMicrotasks(): Promise<void> {
  for (let i = 0; i < 100; i++) await undefined;
}

function post(key: string, body: string, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/api/v1/accounts", {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, ...headers },
    body,
  });
}

test.each([true, false])(
  "a body uses the budget before its organization has its turn, length sent: %p",
  async (hasLength) => {
    const budget = new ByteBudget(4_000_000);
    const { app, call, first } = await world({ budget });
    await call("GET", "/api/v1/accounts");
    const body = JSON.stringify({ name: "A", more: "x".repeat(100_000) });
    useTurn(first.id);
    const request = post(first.key, body, hasLength ? { "content-length": String(body.length) } : {});
    const sent = budget.run(request, app.fetch);
    await drainMicrotasks();
    expect(budget.usedBytes).toBeGreaterThanOrEqual(hasLength ? body.length : 1);
    expect((await sent).status).toBe(201);
  },
);

test.each(["header", "body"])(
  "a body over 32 KiB waits for another large one of its organization, with the key in its %s",
  async (place) => {
    const budget = new ByteBudget(4_000_000);
    const { app, first } = await world({ budget });
    const send = (size: number) => {
      const isInBody = place === "body";
      const [start, end] = [`{${isInBody ? `"writeKey":"${first.key}",` : ""}"batch":[],"padding":"`, '"}'];
      const body = start + "x".repeat(size - start.length - end.length) + end;
      const length = { "content-type": "application/json", "content-length": String(size) };
      const headers = { ...length, ...(!isInBody && { "x-api-key": first.key }) };
      const request = new Request("http://localhost/v1/batch", { method: "POST", headers, body });
      return budget.run(request, app.fetch).then(({ status }) => status);
    };
    const running = { organizationId: first.id, bytes: 1_000_000 };
    await budget.largeBodies.begin(running);
    const sent = send(32_769);
    expect(await send(32_768)).toBe(200);
    expect(await Promise.race([sent, Bun.sleep(50)])).toBeUndefined();
    budget.largeBodies.end(running);
    expect(await sent).toBe(200);
    // The work of the request has ended, too.
    expect(budget.largeBodies.begin(running)).toBeUndefined();
  },
);

test("a request with a body and an invalid key does not wait for a turn, while its body would be stored", async () => {
  const { app, call } = await world();
  await call("GET", "/api/v1/accounts");
  useTurn(noOrganization);
  let status = 0;
  const sent = Promise.resolve(app.fetch(post("ak_unknown", "{}"))).then((reply) => (status = reply.status));
  await drainMicrotasks();
  expect(status).toBe(401);
  await sent;
});

test.each([
  ['{"writeKey":"a"}', "a"],
  ['{"batch":[{"writeKey":"b"}],"writeKey" : "a"}', "a"],
  ['{"writeKey":"a","writeKey":"b"}', "b"],
  ['{"x":"writeKey","writeKey":\n"a","y":"\\"writeKey\\":\\"b\\""}', "a"],
  ['{"batch":{"writeKey":"b"}}', ""],
  ['{"writeKey":1}', ""],
  ['{"writeKey":"\\u0061"}', ""],
  ['{"writeKey":"a', ""],
  ['"writeKey":"a"', ""],
  ['[{"writeKey":"a"}]', ""],
  ["", ""],
])("the key in the body %p is %p", (body, key) => {
  expect(topLevelText(Buffer.from(body), "writeKey")).toBe(key);
});

test("a batch without a key in the headers is at most 512 KiB", async () => {
  const { app, first } = await world();
  const send = async (size: number, writeKey: string) => {
    const body = JSON.stringify({ writeKey, batch: [], padding: "" });
    const padded = body.replace('""}', `"${"x".repeat(size - body.length)}"}`);
    const headers = { "content-type": "application/json", "content-length": String(padded.length) };
    const request = new Request("http://localhost/v1/batch", { method: "POST", headers, body: padded });
    return (await app.fetch(request)).status;
  };
  expect(await send(524_288, first.key)).toBe(200);
  expect(await send(524_289, first.key)).toBe(413);
  expect(await send(524_288, "ak_unknown")).toBe(401);
});

test("bodies with unknown keys inside share one budget, and leave room for an organization", async () => {
  const size = 500_000;
  const budget = new ByteBudget(40 * size);
  const { app, first } = await world({ budget });
  const fetch = (request: Request) => budget.run(request, app.fetch);
  const most = { used: 0 };
  const arrived = Promise.withResolvers<void>();
  const send = (key: string) => {
    const [start, end] = [`{"writeKey":"${key}","batch":[],"padding":"`, '"}'];
    const text = `${start}${"x".repeat(size - start.length - end.length)}${end}`;
    const body = new ReadableStream({
      async pull(controller) {
        most.used = Math.max(most.used, budget.usedBytes);
        await arrived.promise;
        controller.enqueue(Buffer.from(text));
        controller.close();
      },
    });
    const headers = { "content-type": "application/json", "content-length": String(size) };
    return fetch(new Request("http://localhost/v1/batch", { method: "POST", headers, body }));
  };
  const sent = Array.from({ length: 12 }, (_, i) => send(`ak_unknown${i}`));
  await Bun.sleep(50);
  most.used = Math.max(most.used, budget.usedBytes);
  const headers = { "content-type": "application/json", "x-api-key": first.key };
  const body = JSON.stringify({ name: "A", more: "x".repeat(size) });
  const created = await fetch(
    new Request("http://localhost/api/v1/accounts", { method: "POST", headers, body }),
  );
  expect(created.status).toBe(201);
  arrived.resolve();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 401));
  expect(most.used).toBe(4 * size);
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
