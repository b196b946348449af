import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { organization, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";

setDefaultTimeout(60_000);

type Failures = { item: object; problem: { code: string } }[];
type Sync = (options: {
  server: string;
  key: string;
  accounts: object[];
  events: object[];
}) => Promise<Failures>;

const accountCount = 2_000;
const maxCalls = 30;

const accounts = Array.from({ length: accountCount }, (_, i) => ({
  externalId: `account-${i}`,
  name: `Company ${i}`,
  mrr: i,
  contacts: [
    { externalId: `contact-${i}`, name: `Ada ${i}`, email: `ada@company-${i}.example` },
    { name: `Grace ${i}`, email: `grace@company-${i}.example` },
  ],
  meetings: [{ externalId: `meeting-${i}`, title: "Review", startAt: "2026-01-02", endAt: "2026-01-02" }],
  requests: i % 2 ? [] : [{ externalId: `request-${i}`, title: "SSO" }],
}));
const events = Array.from({ length: 13_330 }, (_, i) => ({
  event: "report.exported",
  externalId: `account-${i % accountCount}`,
  messageId: `message-${i}`,
  userId: `user-${i % 500}`,
}));

/** The program that docs/api.md names, and the server that it sends to. */
async function syncWorld() {
  const { sync }: { sync: Sync } = await import(join(import.meta.dir, "../../clients/sync.mjs"));
  const file = temporaryFile("accountd.db");
  const key = await organization(file);
  const { url } = await serve(file);
  let calls = 0;
  const counter = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      calls += 1;
      const { pathname, search } = new URL(request.url);
      // The reply is passed on as it is.
      return fetch(new Request(new URL(pathname + search, url).href, request), { decompress: false });
    },
  });
  const get = async (path: string) =>
    (await (await fetch(new URL(path, url), { headers: { "x-api-key": key } })).json()) as {
      pagination: { total: number };
    };
  const send = (server: string) => sync({ server, key, accounts, events });
  return { sync, key, send, url, counter, calls: () => calls, get };
}

test.concurrent("the program that docs/api.md names syncs 2,000 accounts with contacts, meetings, requests and events in at most 30 calls", async () => {
  const { send, counter, calls, get } = await syncWorld();
  try {
    expect(await send(counter.url.href)).toEqual([]);
    expect(calls()).toBeLessThanOrEqual(maxCalls);
    expect((await get("/api/v1/accounts")).pagination.total).toBe(accountCount);
    expect((await get("/api/v1/requests")).pagination.total).toBe(accountCount / 2);
  } finally {
    await counter.stop(true);
  }
});

test.concurrent("the sync returns each item that was not stored, with its reason, also those of later requests", async () => {
  const { sync, key, url, get } = await syncWorld();
  const wrong = { externalId: "wrong", name: "Wrong", contacts: [{ name: "Ada", email: "no address" }] };
  const early = { event: "login", externalId: "not-yet", messageId: "m1" };
  const bad = { event: "", externalId: "account-1", messageId: "m2" };
  const failed = await sync({
    server: url,
    key,
    accounts: [...accounts.slice(0, 300), wrong],
    events: [...events.slice(0, 1_500), early, bad],
  });
  expect(failed.map(({ item, problem }) => [item, problem.code])).toEqual([
    [wrong, "invalid_request"],
    [bad, "too_short"],
  ]);
  expect((await get("/api/v1/accounts")).pagination.total).toBe(300);
});

test.concurrent("the sync repeats a request after the time in Retry-After, and a stored one has one effect", async () => {
  const { sync, key, counter, calls, get } = await syncWorld();
  let refusals = 0;
  const unreliable = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      refusals += 1;
      if (refusals === 1) return new Response(null, { status: 503, headers: { "retry-after": "1" } });
      const { pathname } = new URL(request.url);
      const reply = await fetch(new Request(new URL(pathname, counter.url).href, request));
      return refusals === 2 ? new Response(null, { status: 429, headers: { "retry-after": "1" } }) : reply;
    },
  });
  try {
    const server = unreliable.url.href;
    const created = [{ externalId: "acme", name: "Acme", meetings: [] }];
    expect(await sync({ server, key, accounts: created, events: [] })).toEqual([]);
    expect([refusals, calls()]).toEqual([3, 2]);
    expect((await get("/api/v1/accounts")).pagination.total).toBe(1);
  } finally {
    await Promise.all([unreliable.stop(true), counter.stop(true)]);
  }
});
