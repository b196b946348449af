import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrations } from "../../db/sqlite/migrations/list.ts";
import { databaseOfVersion, releasedVersion } from "../database/versions.ts";
import type { Reply } from "../support/world.ts";
import { folder, output, run } from "./binary.ts";
import { binary } from "./build.ts";
import { quickstart } from "./served-quickstart.ts";
import { isOneLine, sendRequest } from "./service.ts";

setDefaultTimeout(60_000);

/** Runs a curl line with options that print the status, and returns status and body. */
async function paste(line: string, cwd: string): Promise<{ status: number; body: Reply["body"] }> {
  const child = Bun.spawn(["bash", "-c", `${line} -s -m 10 -w '\n%{http_code}'`], { cwd, stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  await child.exited;
  const bodyEnd = text.lastIndexOf("\n");
  return { status: Number(text.slice(bodyEnd + 1)), body: JSON.parse(text.slice(0, bodyEnd)) };
}

test("The quickstart prints a key, curl lines that work as printed, and the documentation's address", async () => {
  const cwd = folder();
  const { server, text, key, curls } = await quickstart(cwd);
  expect(key).not.toBe("");
  const replies: Awaited<ReturnType<typeof paste>>[] = [];
  for (const line of curls) replies.push(await paste(line, cwd));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 200, 200, 200]);
  const [list, search, , event, usage, health, scores, changes] = replies.map(({ body }) => body);
  expect(list.pagination.total).toBe(503);
  expect(search.data.length).toBeGreaterThan(0);
  expect(event.data).toMatchObject({ accepted: 1, items: [] });
  expect(usage.data.map((row: { event: string }) => row.event)).toContain("report.exported");
  expect(scores.data.map(({ tier }: { tier: string }) => tier)).toEqual(["critical", "critical", "critical"]);
  expect(health.data.score).toBeNumber();
  expect(changes.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3]);
  expect(text).toContain(`${server.url}/docs`);
  expect((await fetch(`${server.url}/docs`)).status).toBe(200);
  expect(await server.stop("SIGINT")).toBe(0);
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
  const account = await second.get(`/api/v1/accounts/${created.body.data.id}`);
  expect(account.body.data.name).toBe(created.body.data.name);
  expect((await sendRequest(second.server.url, first.key, "GET", "/api/v1/accounts")).status).toBe(200);
});

test("The quickstart uses DATABASE_URL as every command does, and rejects a database of other organizations", async () => {
  const cwd = folder();
  await quickstart(cwd, { DATABASE_URL: "examples.db" });
  expect(existsSync(join(cwd, "examples.db"))).toBe(true);
  expect(existsSync(join(cwd, "data/quickstart.db"))).toBe(false);
  const env = { DATABASE_URL: "real.db" };
  await output(["organizations", "create", "Real"], { cwd, env });
  const result = await run(["quickstart", "--port", "0"], { cwd, env });
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toContain("other organizations");
  expect(JSON.parse(await output(["keys", "list", "--json"], { cwd, env }))).toEqual([]);
});

test.each([releasedVersion, migrations.length])(
  "A rejected database of other organizations, of schema version %d with expired events, is not changed",
  async (version) => {
    const file = await databaseOfVersion(version);
    const files = () =>
      readdirSync(dirname(file)).map((name) => [name, Bun.hash(readFileSync(join(dirname(file), name)))]);
    const before = files();
    const { code, stderr } = await run(["quickstart", "--port", "0", "--database", file, "--json"]);
    expect(files()).toEqual(before);
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, "database_not_empty"]);
  },
);

test("A quickstart that cannot serve fails with one line, prints no key and exits with 1", async () => {
  const { server } = await quickstart(folder());
  const port = new URL(server.url).port;
  const portInUse = await run(["quickstart", "--port", port]);
  expect(portInUse).toMatchObject({ code: 1, stdout: "" });
  expect(portInUse.stderr).toContain(port);
  const cwd = folder();
  await Bun.write(join(cwd, "data/quickstart.db"), "a text file, not a database\n".repeat(100));
  const otherFile = await run(["quickstart", "--port", "0"], { cwd });
  expect(otherFile).toMatchObject({ code: 1, stdout: "" });
  await Bun.write(join(cwd, "file"), "x");
  const noFolder = await run(["quickstart", "--port", "0", "--database", "file/x.db"], { cwd });
  expect(noFolder).toMatchObject({ code: 1, stdout: "" });
  for (const { stderr } of [portInUse, otherFile, noFolder]) expect(isOneLine(stderr), stderr).toBe(true);
});

/** Before and during the transaction that stores the examples. */
const killSeconds = [0.03, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.2, 0.4];

// All in one folder: a start removes nothing that an earlier one stored, so the last one finds what any of them left.
test("Quickstarts that are killed after 0.03 to 0.4 s leave no partial data for the next one", async () => {
  const cwd = folder();
  for (const seconds of killSeconds) {
    const command = ["timeout", "-s", "KILL", `${seconds}`, await binary(), "quickstart", "--port", "0"];
    await Bun.spawn(command, { cwd, env: { PATH: Bun.env.PATH ?? "" }, stdout: "ignore", stderr: "ignore" })
      .exited;
  }
  const { get } = await quickstart(cwd);
  const { body } = await get("/api/v1/accounts?externalId=ZTS");
  expect((await get("/api/v1/accounts")).body.pagination.total).toBe(503);
  expect((await get(`/api/v1/accounts/${body.data[0]?.id}`)).body.data.contacts).not.toEqual([]);
});
