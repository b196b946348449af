import { expect, test } from "bun:test";
import { runLongChange } from "../../src/core/long-changes.ts";
import { ByteBudget } from "../../src/http/byte-budget.ts";
import { storeKey } from "../support/keys.ts";
import { type Reply, world } from "../support/world.ts";

const path = "/api/v1/accounts";
const maxWaiting = 32;

/** A world in which reads and writes that begin after the key of a request are counted. */
async function counted(options: Parameters<typeof world>[0]) {
  const here = await world(options);
  const { engine } = here;
  // Stores the time of the use of the key.
  expect((await here.call("GET", path)).status).toBe(200);
  await Bun.sleep(0);
  const [read, write] = [engine.read.bind(engine), engine.write.bind(engine)];
  let count = 0;
  engine.read = (fn, hints) => {
    const begin: typeof fn = (snapshot) => {
      count += 1;
      return fn(snapshot);
    };
    return read(begin, hints);
  };
  engine.write = (organizationId, fn, writeOptions) => {
    const begin: typeof fn = (tx) => {
      count += 1;
      return fn(tx);
    };
    return write(organizationId, begin, writeOptions);
  };
  return { ...here, statements: () => count };
}

/** Work that runs until `end` is called. */
function endless() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  return { work: () => promise, end };
}

const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`;

test("a request that is too large is refused without a statement after its key", async () => {
  const { call, statements } = await counted({});
  const values = Array.from({ length: 65_537 }, () => 0);
  expect(codeOf(await call("POST", path, { name: "x".repeat(1_048_576) }))).toBe("413 payload_too_large");
  expect(codeOf(await call("POST", path, { name: "A", values }))).toBe("413 too_many_values");
  expect(statements()).toBe(0);
  expect((await call("POST", path, { name: "A" })).status).toBe(201);
  expect(statements()).toBeGreaterThan(0);
});

test("a request over the limit of its key is refused without a statement after its key", async () => {
  const limits = { rateLimit: 1, now: () => 0, addressOf: () => "192.0.2.1" };
  const { call, statements } = await counted({ limits });
  const codes = new Set<string>();
  for (let i = 0; i < 250; i += 1) codes.add(codeOf(await call("GET", path)));
  const before = statements();
  expect(codes).toContain("429 rate_limited");
  for (const method of ["GET", "POST"])
    expect(codeOf(await call(method, path, method === "POST" ? { name: "A" } : undefined))).toBe(
      "429 rate_limited",
    );
  expect(statements()).toBe(before);
});

test("a stream of an organization with 250 is refused without a statement after its key", async () => {
  const { app, first, statements } = await counted({});
  const get = (query: string) =>
    app.fetch(
      new Request(`http://localhost/api/v1/changes${query}`, { headers: { "x-api-key": first.key } }),
    );
  const streams = await Promise.all(Array.from({ length: 250 }, () => get("/stream?after=0")));
  const before = statements();
  for (const query of ["/stream", "?wait=1"]) expect((await get(query)).status).toBe(429);
  expect(statements()).toBe(before);
  await Promise.all(streams.map(({ body }) => body?.cancel()));
  expect((await get("?wait=1")).status).toBe(200);
  expect(statements()).toBeGreaterThan(before);
});

test("a body for which too many others wait is refused without a statement after its key", async () => {
  const budget = new ByteBudget(4_000);
  const { call, statements } = await counted({ budget });
  budget.use(999, 2_000);
  const send = () => call("POST", path, { name: "A", more: "x".repeat(1_500) });
  const waiting = Array.from({ length: maxWaiting }, send);
  await Bun.sleep(20);
  expect(codeOf(await send())).toBe("503 too_busy");
  expect(statements()).toBe(0);
  budget.release(999, 2_000);
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([201]));
});

test("a write of an organization without room for a response is refused without a statement after its key", async () => {
  const budget = new ByteBudget(12_000);
  const { account, call, first, statements } = await counted({ budget });
  const { id } = await account({ name: "A" });
  const contact = (await call("POST", `${path}/${id}/contacts`, { name: "B" })).body.data;
  const before = statements();
  budget.use(first.id, 6_500);
  const send = () => call("DELETE", `/api/v1/contacts/${contact.id}`);
  expect(codeOf(await send())).toBe("503 too_busy");
  expect(statements()).toBe(before);
  budget.release(first.id, 6_500);
  expect((await send()).status).toBe(204);
});

test("a slow read for which too many others wait is refused without a statement after its key", async () => {
  const { call, account, engine, second, statements } = await counted({ readWorkers: 1 });
  await account({ name: "A" });
  const slow = `${path}?search=a&sortBy=mrr`;
  const { work, end } = endless();
  const running = engine.read(work, { organizationId: 1, place: "reader" });
  const waiting = Array.from({ length: maxWaiting }, () => call("GET", slow));
  while (engine.state().readers?.waitingCount !== maxWaiting) await Bun.sleep(1);
  const before = statements();
  expect(codeOf(await call("GET", slow))).toBe("503 too_busy");
  expect(statements()).toBe(before);
  waiting.push(call("GET", slow, undefined, { key: second.key }));
  while (engine.state().readers?.waitingCount !== maxWaiting + 1) await Bun.sleep(1);
  end();
  await running;
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
});

test("a write for which too many others wait is refused without a statement after its key", async () => {
  const { call, engine, first, statements } = await counted({});
  const { work, end } = endless();
  const running = engine.write(first.id, work);
  while (statements() === 0) await Bun.sleep(1);
  const waiting = Array.from({ length: 10_000 }, () => engine.write(first.id, async () => {}));
  expect(codeOf(await call("POST", path, { name: "A" }))).toBe("503 store_busy");
  expect(statements()).toBe(1);
  end();
  await Promise.all([running, ...waiting]);
  expect((await call("POST", path, { name: "A" })).status).toBe(201);
});

test("an erasure for which too many others wait is refused without a statement after its key, also one with an Idempotency-Key", async () => {
  const { call, engine, first, statements } = await counted({});
  const { secret } = await storeKey(engine, {
    ...{ organizationId: first.id, name: "admin", expiresAt: null, scopes: ["admin"] },
  });
  const erase = (query = "", headers = {}) =>
    call("POST", `/api/v1/erasures${query}`, { email: "ada@x.io" }, { key: secret, headers });
  const keyed = { "idempotency-key": "an-erasure" };
  const { status, body } = await erase("", keyed);
  expect(status).toBe(200);
  const replay = async () => {
    const reply = await erase("", keyed);
    return [reply.status, reply.body, reply.headers.get("idempotent-replayed")];
  };
  const { work, end } = endless();
  const waiting = Array.from({ length: maxWaiting }, () => runLongChange(first.id, work));
  expect(await replay()).toEqual([200, body, "true"]);
  waiting.push(runLongChange(first.id, work));
  const before = statements();
  for (const query of ["", "?dryRun=true"])
    for (const headers of [{}, keyed]) expect(codeOf(await erase(query, headers))).toBe("503 too_busy");
  expect(statements()).toBe(before);
  end();
  await Promise.all(waiting);
  expect(await replay()).toEqual([200, body, "true"]);
});
