import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createApp } from "../../src/app.ts";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { type Body, beginningText, world } from "../support/world.ts";

const day = 86_400_000;
/** The time that a request waits for a job, and a generous limit for a request on a busy machine. */
const jobMilliseconds = 250;
const requestMilliseconds = 1_500;

/**
 * An account with rows of every kind, a stale score, and a pending event that has expired. `get` sends requests to the
 * service on the changed engine.
 */
async function readWorld({
  change = (engine: World["engine"]) => engine,
  waiting = {} as { maxWaitMilliseconds?: number },
} = {}) {
  const here = await world();
  const send = async (method: string, path: string, body: Body) => {
    const reply = await here.call(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path} failed: ${reply.text}`);
  };
  const account = "/api/v1/accounts/1";
  await here.account({ name: "Acme", externalId: "1", contactName: "Ada" });
  await send("PATCH", "/api/v1/contacts/1", { externalId: "1", userId: "1" });
  await send("POST", `${account}/meetings`, {
    title: "Kickoff",
    externalId: "1",
    startAt: "2026-01-01",
    endAt: "2026-01-01",
  });
  await send("POST", `${account}/requests`, { title: "SSO", externalId: "1" });
  await send("POST", "/api/v1/events", { events: [{ event: "read", externalId: "nobody" }] });
  await send("POST", "/api/v1/webhooks", { url: "https://receiver.invalid/" });
  // The key of cursors is stored at the first use.
  await here.call("GET", "/api/v1/accounts?cursor=");
  await runDueJobs(here);
  await here.execute(`INSERT INTO webhook_deliveries
    (organization_id, webhook_id, sequence, account_id, status, attempts, created_at)
    VALUES (1, 1, 1, 1, 'delivered', 1, 0)`);
  here.pass(30 * day);
  await send("PATCH", account, { contactActivityAt: beginningText });

  const engine = change(here.engine);
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400, ...waiting });
  const app = createApp({ engine, jobs, log: { info: () => {}, error: () => {} } });
  async function get(
    path: string,
  ): Promise<{ status: number; body: Body & { data: Body[] }; milliseconds: number }> {
    const start = performance.now();
    const headers = { "x-api-key": here.first.key };
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
    const type = response.headers.get("content-type") ?? "";
    // A stream has no end.
    if (type === "text/event-stream") await response.body?.cancel();
    const isJson = /json\b/.test(type);
    const text = type === "text/event-stream" ? "" : await response.text();
    const body = (isJson ? JSON.parse(text) : { data: text }) as Body & {
      data: Body[];
    };
    return { status: response.status, body, milliseconds: performance.now() - start };
  }
  return { ...here, app, get };
}
type World = Awaited<ReturnType<typeof world>>;

const stale = { score: 86.2, tier: "healthy" };
const fresh = { score: 36.9, tier: "critical" };

test("every GET replies 200 when nothing can be written, and shows what is stored", async () => {
  const { app, get } = await readWorld({
    change: (engine) => ({ ...engine, write: () => Promise.reject(new Error("no write")) }),
  });
  const paths = app.routes.filter(({ method, path }) => method === "GET" && !publicPaths.has(path));
  expect(paths.length).toBeGreaterThan(15);
  for (const { path } of paths)
    expect([path, (await get(path.replaceAll(/:\w+/g, "1"))).status]).toEqual([path, 200]);
  expect((await get("/api/v1/health")).body.data).toMatchObject([stale]);
  expect((await get("/api/v1/events/unmatched")).body.data).toMatchObject([{ externalId: "nobody" }]);
});

test.each([
  ["/api/v1/health", { data: [stale] }, { data: [fresh] }],
  ["/api/v1/health?tier=critical", { data: [] }, { data: [fresh] }],
  ["/api/v1/events/unmatched", { data: [{ externalId: "nobody", count: 1 }] }, { data: [] }],
])(
  "GET %s shows what is stored after 250 ms while another process holds the write lock, and later what is due",
  async (path, stored, due) => {
    const { file, get } = await readWorld();
    using other = new Database(file);
    other.run("BEGIN IMMEDIATE");
    // As many at once share one run of the job.
    const replies = await Promise.all(Array.from({ length: 20 }, () => get(path)));
    for (const { status, body, milliseconds } of replies) {
      expect(status).toBe(200);
      expect(body).toMatchObject(stored);
      expect(body.data).toHaveLength(stored.data.length);
      expect(milliseconds).toBeGreaterThan(jobMilliseconds - 10);
      expect(milliseconds).toBeLessThan(jobMilliseconds + requestMilliseconds);
    }
    other.run("COMMIT");
    const isShown = ({ data }: { data: Body[] }) =>
      data.length === due.data.length && Bun.deepMatch(due, { data });
    let last = await get(path);
    for (let attempt = 0; attempt < 40 && !isShown(last.body); attempt += 1) last = await get(path);
    expect(last.body).toMatchObject(due);
    expect(last.body.data).toHaveLength(due.data.length);
  },
);

test("other reads do not wait for the job of a list", async () => {
  const { file, get } = await readWorld({ waiting: { maxWaitMilliseconds: 30_000 } });
  using other = new Database(file);
  other.run("BEGIN IMMEDIATE");
  let isListed = false;
  const listing = get("/api/v1/health").finally(() => {
    isListed = true;
  });
  const account = "/api/v1/accounts/1";
  for (const path of ["/api/v1/accounts", account, `${account}/health`, `${account}/history`])
    expect((await get(path)).status).toBe(200);
  expect(isListed).toBe(false);
  other.run("COMMIT");
  expect((await listing).body.data).toMatchObject([fresh]);
});
