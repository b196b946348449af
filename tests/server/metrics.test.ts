import { expect, test } from "bun:test";
import { Gauge } from "prom-client";
import { Followers } from "../../src/core/changes/followers.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { createMetrics } from "../../src/server/metrics.ts";
import { serveMetrics } from "../../src/server/serve-metrics.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { beginning, isPostgres, world } from "../support/world.ts";

type Options = Parameters<typeof world>[0];
type World = Awaited<ReturnType<typeof world>>;

/** A world with metrics: `scrape` returns the values by their names with labels. */
async function metricWorld(options: Options = {}, prepare = async (_here: World) => {}) {
  const here = await world(options);
  await prepare(here);
  const metrics = createMetrics();
  const followers = new Followers(here.engine);
  const { url, stop } = serveMetrics(
    metrics,
    { host: "127.0.0.1", port: 0 },
    {
      ...{ engine: here.engine, file: isPostgres ? undefined : here.file, followers },
      ...{
        storeState: () => "full" as const,
        backups: { failedCount: () => 2, newestAt: () => beginning - 5_000 },
        clock: () => beginning + 60_000,
      },
    },
  );
  closeAfterTest(stop);
  const scrape = async () => {
    const text = await (await fetch(url)).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
  };
  const send = createFetch(here.app.fetch, { recording: { listeners: [metrics.onReply], isTimed: false } });
  return { ...here, url, metrics, followers, scrape, send };
}

/** Scrapes until `isTrue`: samples are taken in the background. */
async function scrapeUntil(
  scrape: () => Promise<Record<string, number>>,
  isTrue: (values: Record<string, number>) => boolean,
) {
  for (;;) {
    const values = await scrape();
    if (isTrue(values)) return values;
    await Bun.sleep(20);
  }
}

test("requests are counted by the pattern of their route, method and status", async () => {
  const { send, scrape, first } = await metricWorld();
  const get = (path: string, headers = {}) => send(new Request(`http://localhost${path}`, { headers }));
  await get("/api/v1/accounts/1", { "x-api-key": first.key });
  await get("/api/v1/accounts/2", { "x-api-key": first.key });
  await get("/api/v1/accounts/2");
  await get("/secret/path");
  await send(new Request("http://localhost/livez", { method: "PROPFIND" }));
  const values = await scrape();
  const counts = Object.entries(values).filter(([name]) =>
    name.startsWith("http_request_duration_seconds_count"),
  );
  expect(Object.fromEntries(counts)).toEqual({
    'http_request_duration_seconds_count{route="/api/v1/accounts/:accountId",method="GET",status="404"}': 2,
    'http_request_duration_seconds_count{route="/api/v1/accounts/:accountId",method="GET",status="401"}': 1,
    'http_request_duration_seconds_count{route="none",method="GET",status="404"}': 1,
    'http_request_duration_seconds_count{route="none",method="other",status="405"}': 1,
  });
  const infinite =
    'http_request_duration_seconds_bucket{le="+Inf",route="/api/v1/accounts/:accountId",method="GET",status="404"}';
  expect(values[infinite]).toBe(2);
});

test("limits are counted by their kind", async () => {
  const { send, scrape, first } = await metricWorld({
    limits: { rateLimit: 1, authFailureLimit: 1, addressOf: () => "192.0.2.1" },
  });
  const get = (key: string) =>
    send(new Request("http://localhost/api/v1/me", { headers: { "x-api-key": key } }));
  let status = 200;
  for (let i = 0; i < 300 && status !== 429; i += 1) ({ status } = await get(first.key));
  for (let i = 0; i < 2; i += 1) await get("ak_none");
  expect(await scrape()).toMatchObject({
    'accountd_limited_requests_total{kind="key"}': 1,
    'accountd_limited_requests_total{kind="address"}': 1,
    'accountd_limited_requests_total{kind="streams"}': 0,
  });
});

test("the state of the engine, the store and the process can be read", async () => {
  const { scrape, followers, first } = await metricWorld();
  const follower = followers.begin(first.id, { id: "a", isValid: async () => true });
  const values = await scrape();
  follower.end();
  expect(values.accountd_database_bytes).toBeGreaterThan(100_000);
  expect(values).toMatchObject({
    accountd_write_queue: 0,
    accountd_streams: 1,
    accountd_backup_age_seconds: 65,
    accountd_backup_failures_total: 2,
    accountd_database_bytes: expect.any(Number),
    'accountd_store_state{state="ok"}': 0,
    'accountd_store_state{state="full"}': 1,
    'accountd_store_state{state="failing"}': 0,
    ...(isPostgres
      ? { accountd_pool_connections: 2, accountd_pool_busy: expect.any(Number), accountd_pool_waiting: 0 }
      : {
          accountd_wal_bytes: expect.any(Number),
          accountd_readers_busy: expect.any(Number),
          accountd_readers_waiting: 0,
          accountd_readers_killed_total: 0,
        }),
  });
  expect(Object.keys(values)).toEqual(
    expect.arrayContaining([expect.stringContaining("accountd_build_info")]),
  );
});

test("what waits in the database is sampled, with the age of the oldest delivery of an active webhook", async () => {
  const { scrape } = await metricWorld({}, prepareBacklog);
  const values = await scrapeUntil(scrape, (found) => found.accountd_pending_events !== undefined);
  expect(values).toMatchObject({
    accountd_stale_scores: 2,
    accountd_pending_events: 2,
    accountd_webhook_backlog: 1,
    accountd_webhook_oldest_seconds: 61,
  });
});

/** Two accounts with stale scores, two pending events, and a pending delivery of an active and of a paused webhook. */
async function prepareBacklog({ call, execute, first }: World): Promise<void> {
  for (const name of ["a", "b"]) await call("POST", "/api/v1/accounts", { name });
  await execute("UPDATE accounts SET score_stale_at = 1");
  await call("POST", "/api/v1/events", {
    events: [
      { externalId: "unmatched", event: "x" },
      { externalId: "other", event: "x" },
    ],
  });
  for (const [id, active] of [
    [1, 1],
    [2, 0],
  ]) {
    await execute(
      `INSERT INTO webhooks (organization_id, id, url, format, ordered, active, secret, position, version, created_at, updated_at)
        VALUES (${first.id}, ${id}, 'https://example.com', 'accountd', 'account', ${active}, 's', 0, 1, 1, 1)`,
    );
    await execute(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, attempts, created_at)
        VALUES (${first.id}, ${id}, 1, 1, 'pending', 0, ${beginning - (id === 1 ? 1_000 : 9_000)})`,
    );
  }
}

test("metrics are at /metrics only", async () => {
  const { url } = await metricWorld();
  const { origin } = new URL(url);
  expect((await fetch(url)).headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
  expect((await fetch(`${origin}/`)).status).toBe(404);
  expect((await fetch(`${origin}/api/v1/accounts`)).status).toBe(404);
});

test("a metric that cannot be read is 500, without the source of the program", async () => {
  const { metrics, url } = await metricWorld();
  const collect = () => {
    throw new Error("no value");
  };
  metrics.registry.registerMetric(
    new Gauge({ name: "broken", help: "Has no value.", registers: [], collect }),
  );
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([500, "A metric could not be read.\n"]);
});
