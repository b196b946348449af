import { expect, test } from "bun:test";
import { maxWorkMilliseconds, noOrganization, takeTurn } from "../../src/core/turns.ts";
import { topLevelText } from "../../src/http/body/json-text.ts";
import { ByteBudget } from "../../src/http/byte-budget.ts";
import { world } from "../support/world.ts";

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
