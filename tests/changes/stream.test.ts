import { expect, test } from "bun:test";
import { EventSource } from "eventsource";
import { beginSession, endSession } from "../../src/api-keys/sessions.ts";
import { revokeKey } from "../../src/api-keys/store.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { storeKey } from "../support/keys.ts";
import { type Change, changeWorld, day, path } from "./change-world.ts";
import { openStream } from "./stream-reader.ts";

async function streamWorld() {
  const here = await changeWorld();
  const create = (name: string) => here.send("POST", "/api/v1/accounts", { name });
  const stream = (query?: string, headers?: Record<string, string>) =>
    openStream((request) => here.app.fetch(request), here.first.key, query, headers);
  return { ...here, create, stream };
}

/** A world whose first stored change has the sequence number 3, and whose last one 4. */
async function expiredWorld() {
  const here = await streamWorld();
  for (const name of ["A", "B", "C"]) await here.create(name);
  here.pass(400 * day + 1);
  await here.create("D");
  const { engine } = here;
  await runDueJobs({ engine, jobs: createJobs({ engine, reactions, eventDays: 35, changeDays: 400 }) });
  expect((await here.feed()).data.map(({ sequence }: Change) => sequence)).toEqual([4]);
  return here;
}

test("a stream sends the changes that are made after it began, as the feed has them", async () => {
  const { create, feed, send, stream } = await streamWorld();
  await create("Before");
  const { headers, status, take } = await stream();
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    200,
    "text/event-stream",
    "no-store",
  ]);
  await send("POST", "/api/v1/accounts", { name: "Acme", contactName: "Ada" });
  await send("PATCH", "/api/v1/accounts/2", { mrr: 5 });
  expect(await take(3)).toEqual((await feed("?after=1")).data);
});

test("after begins a stream after a sequence number, and Last-Event-ID counts more", async () => {
  const { create, feed, stream } = await streamWorld();
  for (const name of ["A", "B", "C"]) await create(name);
  const all: Change[] = (await feed()).data;
  expect(await (await stream("?after=0")).take(3)).toEqual(all);
  expect(await (await stream("?after=1")).take(2)).toEqual(all.slice(1));
  const resumed = await stream("?after=0", { "last-event-id": "2" });
  await create("D");
  expect(await resumed.take(2)).toEqual((await feed("?after=2")).data);
});

test("a stream sends a long history in order, without gaps, and goes on with new changes", async () => {
  const { create, feed, stream } = await streamWorld();
  await Promise.all(Array.from({ length: 350 }, (_, i) => create(`Account ${i}`)));
  const { take } = await stream("?after=0");
  expect(await take(350)).toEqual((await feed()).data);
  await create("New");
  expect((await take(1))[0]?.sequence).toBe(351);
});

test("resource and action filter a stream as they filter the feed", async () => {
  const { create, feed, send, stream } = await streamWorld();
  const queries = [
    "?after=0&resource=contact",
    "?after=0&action=updated",
    "?after=0&resource=account&action=deleted",
  ];
  const streams = await Promise.all(queries.map((query) => stream(query)));
  await send("POST", "/api/v1/accounts", { name: "Acme", contactName: "Ada" });
  await create("Globex");
  await send("PATCH", "/api/v1/accounts/1", { mrr: 5 });
  await send("DELETE", "/api/v1/accounts/1");
  for (const [i, query] of queries.entries()) {
    const { data } = await feed(query);
    expect(data.length).toBeGreaterThan(0);
    expect(await streams[i]?.take(data.length)).toEqual(data);
  }
});

test("a stream, and a request that waits, is 410 with the first stored sequence number when changes after it were deleted", async () => {
  const { call, stream } = await expiredWorld();
  const problem = {
    type: "urn:accountd:problem:changes_expired",
    title: "Changes expired",
    status: 410,
    detail:
      "The changes after this sequence number were deleted. Read the resources again, and continue from firstSequence - 1.",
    code: "changes_expired",
    firstSequence: 4,
  };
  for (const query of ["/stream?after=2", "?after=2&wait=1", "/stream?after=0"]) {
    const reply = await call("GET", path + query);
    expect([reply.status, reply.body]).toEqual([410, problem]);
  }
  expect((await call("GET", `${path}?after=2`)).status).toBe(200);
  // A backup was restored: no change has the number.
  for (const query of ["/stream?after=5", "?after=5&wait=1"])
    expect((await call("GET", path + query)).body).toEqual({
      ...problem,
      detail:
        "No change has this sequence number: a backup was restored. Read the resources again, and continue from firstSequence - 1.",
    });
  expect((await (await stream("?after=3")).take(1))[0]?.sequence).toBe(4);
});

test("a wrong Last-Event-ID, after or wait is 400", async () => {
  const { call } = await streamWorld();
  const errors = async (query: string, headers = {}) => {
    const { status, body } = await call("GET", path + query, undefined, { headers });
    return [status, ...body.errors.map(({ detail: _, ...error }: { detail: string }) => error)];
  };
  for (const id of ["x", "-1", "01", "9007199254740992"])
    expect(await errors("/stream", { "last-event-id": id })).toEqual([
      400,
      { header: "last-event-id", code: "wrong_type" },
    ]);
  expect(await errors("/stream?after=-1")).toEqual([400, { parameter: "after", code: "wrong_type" }]);
  expect(await errors("?wait=31")).toEqual([400, { parameter: "wait", code: "out_of_range" }]);
});

test("with wait, a request is answered when a matching change is made, otherwise after the time", async () => {
  const { create, feed, send } = await streamWorld();
  await create("Acme");
  const start = performance.now();
  expect((await feed("?after=0&wait=30")).data.length).toBe(1);
  const waiting = feed("?after=1&wait=30&resource=contact");
  await Bun.sleep(100);
  await create("Globex");
  await send("POST", "/api/v1/accounts/1/contacts", { name: "Ada" });
  const { data, pagination } = await waiting;
  expect([data, pagination]).toEqual([
    (await feed("?after=2")).data,
    { limit: 1_000, hasNextPage: false, nextAfter: 3 },
  ]);
  expect(performance.now() - start).toBeLessThan(10_000);
  const emptyStart = performance.now();
  expect(await feed("?after=3&wait=1")).toEqual({
    data: [],
    pagination: { limit: 1_000, hasNextPage: false, nextAfter: 3 },
  });
  expect(performance.now() - emptyStart).toBeGreaterThanOrEqual(990);
});

test("a revoked key ends its streams and its waiting requests within a second", async () => {
  const { app, call, engine, first } = await streamWorld();
  const organizationId = first.id;
  const { secret, key } = await storeKey(engine, { organizationId, name: "stream", scopes: ["read"] });
  const { end } = await openStream((request) => app.fetch(request), secret);
  const waiting = call("GET", `${path}?wait=20`, undefined, { key: secret });
  await Bun.sleep(50);
  const start = performance.now();
  await revokeKey(engine, key.id);
  expect((await waiting).status).toBe(401);
  await end();
  expect(performance.now() - start).toBeLessThan(1_000);
});

test("the end of a session of the console ends its streams within a second", async () => {
  const { app, create, engine, first } = await streamWorld();
  const token = await beginSession(engine, { kind: "key", secret: first.key });
  if (token === undefined) throw new Error("no session");
  const headers = { cookie: `accountd_session=${token}`, "x-accountd-console": "1" };
  const { end, take } = await openStream((request) => app.fetch(request), null, "", headers);
  await create("Acme");
  expect((await take(1))[0]?.sequence).toBe(1);
  const start = performance.now();
  await endSession(engine, token);
  await end();
  expect(performance.now() - start).toBeLessThan(1_000);
});

test("an organization has at most 250 streams and waiting requests at a server", async () => {
  const { app, create, first, second, stream } = await streamWorld();
  const get = async (query: string) =>
    app.fetch(new Request(`http://localhost${path}${query}`, { headers: { "x-api-key": first.key } }));
  const body = async (response: Response) => JSON.parse(await response.text());
  const streams = await Promise.all(Array.from({ length: 249 }, () => stream()));
  const waiting = get("?wait=30");
  await Bun.sleep(50);
  const rejected = await get("/stream");
  expect([rejected.status, rejected.headers.get("retry-after"), (await body(rejected)).code]).toEqual([
    429,
    "10",
    "too_many_streams",
  ]);
  expect((await get("?wait=1")).status).toBe(429);
  expect((await openStream((request) => app.fetch(request), second.key)).status).toBe(200);
  await streams[0]?.close();
  expect((await stream()).status).toBe(200);
  await create("Acme");
  expect((await body(await waiting)).data.length).toBe(1);
});

test("HEAD of a stream has its headers, and leaves no stream open", async () => {
  const { app, first } = await streamWorld();
  const { createFetch } = await import("../../src/http/create-fetch.ts");
  const fetch = createFetch(app.fetch);
  for (let count = 0; count < 260; count += 1) {
    const request = new Request(`http://localhost${path}/stream`, {
      method: "HEAD",
      headers: { "x-api-key": first.key },
    });
    const { status, headers } = await fetch(request);
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  }
});

test("an EventSource of another make receives the changes, and continues after its last one when it connects again", async () => {
  const { app, create, first } = await streamWorld();
  const serve = (port: number) =>
    Bun.serve({ port, hostname: "127.0.0.1", fetch: (request) => app.fetch(request) });
  let server = serve(0);
  const { port = 0 } = server;
  closeAfterTest(() => server.stop(true));
  const source = new EventSource(`http://127.0.0.1:${port}${path}/stream?after=0`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, "x-api-key": first.key } }),
  });
  closeAfterTest(async () => source.close());
  const received: number[] = [];
  source.onmessage = ({ data }) => void received.push(JSON.parse(data).sequence);
  const has = async (count: number) => {
    while (received.length < count) await Bun.sleep(10);
  };
  await create("A");
  await has(1);
  await server.stop(true);
  await create("B");
  server = serve(port);
  await create("C");
  await has(3);
  expect(received).toEqual([1, 2, 3]);
});
