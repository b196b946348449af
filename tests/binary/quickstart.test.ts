import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, endAll, folder, output, run, start } from "./binary.ts";
import { ask, isOneLine, type Reply } from "./service.ts";

setDefaultTimeout(60_000);
afterEach(endAll);

const printed = /serves (http:\S+) from[\s\S]*\/docs[\s\S]*Ctrl-C/;
const day = 24 * 3_600_000;

async function quickstart(cwd: string, env: Record<string, string> = {}) {
  const server = await start(["quickstart", "--port", "0"], { cwd, env }, printed);
  const text = server.stdout();
  const key = /^ *(ak_\w{36})$/m.exec(text)?.[1] ?? "";
  const curls = text.split("\n").filter((line) => line.trim().startsWith("curl "));
  return { server, text, key, curls, get: (path: string) => ask(server.url, key, "GET", path) };
}

/** Runs a line as it stands, but for what shows the status, and returns that and the body. */
async function paste(line: string, cwd: string): Promise<{ status: number; body: Reply["body"] }> {
  const child = Bun.spawn(["bash", "-c", `${line} -s -m 10 -w '\n%{http_code}'`], { cwd, stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  await child.exited;
  const at = text.lastIndexOf("\n");
  return { status: Number(text.slice(at + 1)), body: JSON.parse(text.slice(0, at)) };
}

test("The quickstart prints a key, curl lines that work as printed, and the documentation's address", async () => {
  const cwd = folder();
  const { server, text, key, curls } = await quickstart(cwd);
  expect(key).not.toBe("");
  const replies: Awaited<ReturnType<typeof paste>>[] = [];
  for (const line of curls) replies.push(await paste(line, cwd));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 200, 200]);
  const [list, search, , event, usage, health, scores] = replies.map(({ body }) => body);
  expect(list.pagination.total).toBe(503);
  expect(search.data.length).toBeGreaterThan(0);
  expect(event.data).toMatchObject({ accepted: 1, items: [] });
  expect(usage.data.map((row: { event: string }) => row.event)).toContain("report.exported");
  expect(scores.data.map(({ tier }: { tier: string }) => tier)).toEqual(["critical", "critical", "critical"]);
  expect(health.data.score).toBeNumber();
  expect(text).toContain(`${server.url}/docs`);
  expect((await fetch(`${server.url}/docs`)).status).toBe(200);
  expect(await server.stop("SIGINT")).toBe(0);
});

test("The quickstart makes data/quickstart.db with 503 accounts of one organization, externalId the symbol", async () => {
  const cwd = folder();
  const { get } = await quickstart(cwd);
  expect(existsSync(join(cwd, "data/quickstart.db"))).toBe(true);
  const organizations = await output(
    ["organizations", "list", "--json", "--database", "data/quickstart.db"],
    { cwd },
  );
  expect(JSON.parse(organizations)).toHaveLength(1);
  const { text, body } = await get("/api/v1/accounts");
  expect(body.pagination?.total, text).toBe(503);
  const apple = await get("/api/v1/accounts?externalId=AAPL");
  expect(apple.body.data).toMatchObject([{ name: "Apple Inc.", externalId: "AAPL" }]);
});

test("Every status filter of the quickstart shows an account, and every order another first page", async () => {
  const { get } = await quickstart(folder());
  for (const status of ["active", "onboarding", "churned", "inactive"]) {
    const { body } = await get(`/api/v1/accounts?status=${status}`);
    expect(body.data.length, status).toBeGreaterThan(0);
  }
  const pages = new Map<string, string>();
  for (const sortBy of ["name", "mrr", "createdAt", "updatedAt"]) {
    for (const sortOrder of ["asc", "desc"]) {
      const { body } = await get(`/api/v1/accounts?sortBy=${sortBy}&sortOrder=${sortOrder}`);
      pages.set(`${sortBy} ${sortOrder}`, body.data.map((row: { id: number }) => row.id).join());
    }
  }
  expect(new Set(pages.values()).size, JSON.stringify([...pages])).toBe(8);
});

test("Some accounts of the quickstart have contacts, past meetings and requests", async () => {
  const { get } = await quickstart(folder());
  const { body } = await get("/api/v1/accounts?pageSize=20");
  const accounts = await Promise.all(
    body.data.map(async ({ id }: { id: number }) => (await get(`/api/v1/accounts/${id}`)).body.data),
  );
  for (const list of ["contacts", "meetings", "requests"])
    expect(
      accounts.some((account) => account[list].length > 0),
      list,
    ).toBe(true);
  const ends = accounts.flatMap(({ meetings }) => meetings.map((one: { endAt: string }) => one.endAt));
  expect(ends.filter((at) => Date.parse(at) > Date.now())).toEqual([]);
});

test("The quickstart's accounts have health of every tier, from every factor and source, and some events wait", async () => {
  const { get } = await quickstart(folder());
  const { tiers } = (await get("/api/v1/health/summary")).body.data;
  for (const { tier, accounts } of tiers) expect(accounts, tier).toBeGreaterThan(20);
  expect(tiers).toHaveLength(5);
  const { data } = (await get("/api/v1/accounts?pageSize=100&page=3")).body;
  const healths = await Promise.all(
    data.map(async ({ id }: { id: number }) => (await get(`/api/v1/accounts/${id}/health`)).body.data),
  );
  const sources = healths.map(({ contactActivity }) => contactActivity.source);
  expect([...new Set(sources)].sort()).toEqual([null, "api", "event", "helpdesk", "vitally"].sort());
  const worths = new Set(
    healths.flatMap(({ factors }) =>
      factors.map(({ key, score }: { key: string; score: number }) => `${key} ${score}`),
    ),
  );
  expect(new Set([...worths].map((worth) => worth.split(" ")[0])).size).toBe(6);
  for (const key of ["contactActivity", "usageRecency", "usageTrend"])
    for (const worth of [100, 80, 60, 40, 20]) expect(worths).toContain(`${key} ${worth}`);
  const unmatched = (await get("/api/v1/events/unmatched")).body.data;
  expect(unmatched).toMatchObject([{ externalId: "NEWCO", count: expect.any(Number) }]);
});

test("A second quickstart keeps the data and prints a new key", async () => {
  const cwd = folder();
  const first = await quickstart(cwd);
  const created = await paste(first.curls[2] ?? "", cwd);
  expect(created.status).toBe(201);
  expect(await first.server.stop()).toBe(0);
  const second = await quickstart(cwd);
  expect(second.key).not.toBe(first.key);
  const { status, body } = await second.get("/api/v1/accounts");
  expect(status).toBe(200);
  expect(body.pagination.total).toBe(504);
  const again = await second.get(`/api/v1/accounts/${created.body.data.id}`);
  expect(again.body.data.name).toBe(created.body.data.name);
  expect((await ask(second.server.url, first.key, "GET", "/api/v1/accounts")).status).toBe(200);
});

test("The key of the quickstart lives for 24 hours", async () => {
  const cwd = folder();
  const { key } = await quickstart(cwd);
  const text = await output(["keys", "list", "--json", "--database", "data/quickstart.db"], { cwd });
  const keys: { createdAt: string; expiresAt: string; lastFour: string }[] = JSON.parse(text);
  expect(keys.map(({ lastFour }) => lastFour)).toEqual([key.slice(-4)]);
  expect(keys.map((one) => Date.parse(one.expiresAt) - Date.parse(one.createdAt))).toEqual([day]);
});

test("The quickstart takes DATABASE_URL as every command does, and leaves other organizations' data alone", async () => {
  const cwd = folder();
  await quickstart(cwd, { DATABASE_URL: "examples.db" });
  expect(existsSync(join(cwd, "examples.db"))).toBe(true);
  expect(existsSync(join(cwd, "data/quickstart.db"))).toBe(false);
  const env = { DATABASE_URL: "real.db" };
  await output(["organizations", "create", "Real"], { cwd, env });
  const refused = await run(["quickstart", "--port", "0"], { cwd, env });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("other organizations");
  expect(JSON.parse(await output(["keys", "list", "--json"], { cwd, env }))).toEqual([]);
});

test("A quickstart that cannot serve says so in one line, prints no key and exits with 1", async () => {
  const { server } = await quickstart(folder());
  const port = new URL(server.url).port;
  const taken = await run(["quickstart", "--port", port]);
  expect(taken).toMatchObject({ code: 1, stdout: "" });
  expect(taken.stderr).toContain(port);
  const cwd = folder();
  await Bun.write(join(cwd, "data/quickstart.db"), "a letter, and no database\n".repeat(100));
  const foreign = await run(["quickstart", "--port", "0"], { cwd });
  expect(foreign).toMatchObject({ code: 1, stdout: "" });
  await Bun.write(join(cwd, "file"), "x");
  const below = await run(["quickstart", "--port", "0", "--database", "file/x.db"], { cwd });
  expect(below).toMatchObject({ code: 1, stdout: "" });
  for (const { stderr } of [taken, foreign, below]) expect(isOneLine(stderr), stderr).toBe(true);
});

test.each([0.03, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1])(
  "A quickstart that is killed after %d s leaves no half-made data to the next one",
  async (seconds) => {
    const cwd = folder();
    const command = ["timeout", "-s", "KILL", `${seconds}`, await binary(), "quickstart", "--port", "0"];
    await Bun.spawn(command, { cwd, env: { PATH: Bun.env.PATH ?? "" }, stdout: "ignore", stderr: "ignore" })
      .exited;
    const { get } = await quickstart(cwd);
    const { body } = await get("/api/v1/accounts?externalId=ZTS");
    expect((await get("/api/v1/accounts")).body.pagination.total).toBe(503);
    expect((await get(`/api/v1/accounts/${body.data[0]?.id}`)).body.data.contacts).not.toEqual([]);
  },
);
