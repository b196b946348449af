import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../support/random.ts";
import type { Reply } from "../support/world.ts";
import { endAll, output, type Running, run, start } from "./binary.ts";
import { logOf, sendRequest, service } from "./service.ts";

afterEach(endAll);

const pageSize = 4_096;
const accountCount = 63;

const folder = mkdtempSync(join(tmpdir(), "accountd-damaged-"));
const original = join(folder, "original.db");
let key = "";
beforeAll(async () => {
  const running = await service();
  key = running.key;
  for (let i = 1; i <= accountCount; i += 1) {
    await running.send("POST", "/api/v1/accounts", { name: `Account ${i}`, externalId: `a${i}`, mrr: i });
    await running.send("POST", `/api/v1/accounts/${i}/contacts`, {
      name: `Contact ${i}`,
      email: `c${i}@x.io`,
    });
    await running.send("POST", "/api/v1/events", { event: "login", externalId: `a${i}`, userId: `u${i}` });
  }
  expect(await running.server.stop()).toBe(0);
  copyFileSync(running.database, original);
  await endAll();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A copy of the database in which pages are overwritten with random bytes. */
function damagedCopy(firstPage: number, pageCount: number): string {
  const file = join(folder, `damaged-${firstPage}.db`);
  const bytes = readFileSync(original);
  const random = new Random(firstPage);
  for (
    let offset = firstPage * pageSize;
    offset < (firstPage + pageCount) * pageSize && offset < bytes.length;
    offset += 1
  )
    bytes[offset] = random.below(256);
  writeFileSync(file, bytes);
  chmodSync(file, 0o600);
  return file;
}

const reads = [
  "/api/v1/accounts",
  "/api/v1/accounts?sortBy=mrr",
  "/api/v1/accounts?sortBy=createdAt",
  "/api/v1/accounts?search=account%206",
  "/api/v1/accounts?externalId=a7",
  "/api/v1/accounts/1",
  "/api/v1/accounts/63",
  "/api/v1/accounts/1/contacts",
  "/api/v1/accounts/1/usage",
  "/api/v1/accounts/1/health",
  "/api/v1/accounts/1/history",
  "/api/v1/health",
  "/api/v1/health/summary",
  "/api/v1/requests",
  "/api/v1/events/unmatched",
  "/api/v1/changes?after=0",
];

type Observed = { isServed: boolean; statuses: number[]; logged: Record<string, unknown>[] };

/** Serves the file, reads and writes until two rounds of the jobs have run, and stops. */
async function observe(file: string): Promise<Observed> {
  let server: Running;
  try {
    server = await start(["serve", "--port", "0", "--database", file]);
  } catch {
    const { code, stderr } = await run(["serve", "--port", "0", "--database", file]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^[^\n]*damaged[^\n]*\n$/)]);
    return { isServed: false, statuses: [], logged: [] };
  }
  const send = (method: string, path: string, body?: unknown) =>
    sendRequest(server.url, key, method, path, body);
  const replies: Reply[] = [];
  for (const path of reads) replies.push(await send("GET", path));
  replies.push(await send("POST", "/api/v1/accounts", { name: "New", externalId: "new" }));
  replies.push(await send("PATCH", "/api/v1/accounts/2", { name: "Changed" }));
  await Bun.sleep(2_500);
  for (const path of reads) replies.push(await send("GET", path));
  expect((await send("GET", "/livez")).status).toBe(200);
  const isDamaged = server.stderr().includes('"event":"database_damaged"');
  if (isDamaged) {
    const after = [
      await send("GET", "/readyz"),
      await send("POST", "/api/v1/accounts", { name: "Late" }),
      await send("PATCH", "/api/v1/accounts/3", { name: "Late" }),
    ];
    expect(after.map(({ status, body }) => [status, body.code])).toEqual(
      Array(3).fill([503, "store_failed"]),
    );
  }
  expect(await server.stop()).toBe(0);
  const logged = logOf(server);
  for (const { status, body } of replies)
    if (status >= 500) expect([status, body.code]).toEqual([503, "store_failed"]);
  return { isServed: true, statuses: replies.map(({ status }) => status), logged };
}

test("a database with damaged pages is rejected, or serves its undamaged pages and logs the damage once", async () => {
  const pages = readFileSync(original).length / pageSize;
  expect(pages).toBeGreaterThan(60);
  const files: string[] = [];
  for (let firstPage = 5; firstPage < pages; firstPage += 10) files.push(damagedCopy(firstPage, 5));
  const observed = await Promise.all(files.map(observe));
  const served = observed.filter(({ isServed }) => isServed);
  expect(served.length).toBeGreaterThan(2);
  for (const { statuses, logged } of served) {
    const reports = logged.filter(({ event }) => event === "database_damaged");
    expect(reports.length).toBeLessThanOrEqual(1);
    if (statuses.includes(503)) expect(reports).toHaveLength(1);
    for (const report of reports)
      expect(report).toMatchObject({ level: "error", detail: expect.stringContaining("restore a backup") });
    // No loop of failures: each failed request logs a line, and the jobs log their first failure.
    expect(logged.length).toBeLessThan(80);
  }
  const damaged = served.filter(({ logged }) => logged.some(({ event }) => event === "database_damaged"));
  expect(damaged.length).toBeGreaterThan(1);
  // Undamaged pages can be read.
  expect(damaged.some(({ statuses }) => statuses.includes(200))).toBe(true);
}, 180_000);

test("an undamaged database logs no damage", async () => {
  const { isServed, statuses, logged } = await observe(damagedCopy(0, 0));
  expect([isServed, statuses.every((status) => status < 300)]).toEqual([true, true]);
  expect(logged.map(({ event }) => event)).toEqual(["started", "stopping", "stopped"]);
  expect(await output(["check", "--database", damagedCopy(0, 0)])).toContain("sound");
});
