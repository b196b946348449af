import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { eq } from "drizzle-orm";
import type { Engine } from "../../db/engine.ts";
import { errorCode } from "../../db/errors.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { inputs, integerInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { select, update } from "../../db/statements.ts";
import { createApp } from "../../src/app.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { createOrganization, listOrganizations } from "../../src/organizations/store.ts";
import { reactions } from "../../src/reactions.ts";
import { beginning, world } from "../support/world.ts";
import { pragma } from "./files.ts";

const allNames = select("tests.damage.names", { fields: { name: accounts.name }, from: accounts });
const rename = update("tests.damage.rename", {
  table: accounts,
  set: inputs(accounts, "name"),
  where: eq(accounts.id, integerInput("id")),
});

const opened: Engine[] = [];
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
});

/** Overwrites the root page of a table or an index. */
function damageRoot(file: string, name: string): void {
  const client = new Database(file, { readonly: true });
  const size = Number(pragma(client, "page_size"));
  const root = client
    .query<{ page: number }, [string]>("SELECT rootpage AS page FROM sqlite_schema WHERE name = ?")
    .get(name);
  client.close();
  if (!root) throw new Error(`there is no ${name}`);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, new Uint8Array(size).fill(0xab), 0, size, (root.page - 1) * size);
  closeSync(descriptor);
}

/** The service on a database with some rows, of which a table or an index is damaged after a clean shutdown. */
async function damagedWorld(name: string) {
  const { file, account, call, first, engine } = await world();
  await account({ name: "Acme" });
  await call("POST", "/api/v1/accounts/1/meetings", {
    title: "Review",
    startAt: "2026-01-01T00:00:00Z",
    endAt: "2026-01-01T01:00:00Z",
  });
  await engine.close();
  damageRoot(file, name);
  let reports = 0;
  const damaged = openDatabase(file, {
    clock: () => beginning,
    onDamage: () => {
      reports += 1;
    },
  });
  opened.push(damaged);
  const lines: unknown[] = [];
  const log = { info: () => {}, error: (event: string) => void lines.push(event) };
  const jobs = createJobs({ engine: damaged, reactions, eventDays: 35, changeDays: 400 });
  const app = createApp({ engine: damaged, jobs, reactions, log });
  const send = async (method: string, path: string, body?: object) => {
    const headers = { "x-api-key": first.key, ...(body && { "content-type": "application/json" }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await app.fetch(new Request(`http://localhost${path}`, init));
    const { code } = (await response.json()) as { code?: string };
    return `${response.status} ${code ?? "ok"}`;
  };
  return { file, engine: damaged, send, reports: () => reports };
}

const usage = "/api/v1/accounts/1/usage?from=2026-01-01&to=2026-01-02";
const failed = "503 store_failed";

test("a read of a damaged page is 503, and so are writes and /readyz after it", async () => {
  const { engine, send, reports } = await damagedWorld("usage_days");
  expect([await send("GET", "/readyz"), await send("POST", "/api/v1/accounts", { name: "Before" })]).toEqual([
    "200 ok",
    "201 ok",
  ]);
  expect(reports()).toBe(0);
  for (let i = 0; i < 3; i += 1) expect(await send("GET", usage)).toBe(failed);
  expect(reports()).toBe(1);
  for (let i = 0; i < 2; i += 1) {
    expect(await send("GET", "/readyz")).toBe(failed);
    expect(await send("POST", "/api/v1/accounts", { name: "After" })).toBe(failed);
    expect(await send("PATCH", "/api/v1/accounts/1", { name: "After" })).toBe(failed);
    expect(await send("DELETE", "/api/v1/accounts/1")).toBe(failed);
    expect(await send("GET", "/livez")).toBe("200 ok");
    expect(await send("GET", "/api/v1/accounts")).toBe("200 ok");
    expect(await send("GET", "/api/v1/accounts/1")).toBe("200 ok");
    expect(await send("GET", usage)).toBe(failed);
    await yieldToEventLoop();
  }
  expect(errorCode(await engine.write(1, async () => {}).catch((error: unknown) => error))).toBe(
    "DATABASE_DAMAGED",
  );
  expect(reports()).toBe(1);
});

test("after a restart the service accepts writes until it reads the damaged page again", async () => {
  const { file, engine, send } = await damagedWorld("usage_days");
  expect(await send("GET", usage)).toBe(failed);
  await engine.close();
  opened.length = 0;
  const again = openDatabase(file, { clock: () => beginning });
  opened.push(again);
  await again.ping();
  await createOrganization(again, "After the restart");
  expect(await listOrganizations(again)).toHaveLength(3);
});

test("a write that reads a damaged page is 503 and stores nothing, and so is the rest of its batch", async () => {
  const { engine, send, reports } = await damagedWorld("meetings_account");
  const bodies = {
    meeting: { title: "Second", startAt: "2026-01-01T00:00:00Z", endAt: "2026-01-01T01:00:00Z" },
    account: { name: "Same batch" },
  };
  const batch = [
    send("POST", "/api/v1/accounts", bodies.account),
    send("POST", "/api/v1/accounts/1/meetings", bodies.meeting),
    send("POST", "/api/v1/accounts", bodies.account),
  ];
  expect(await Promise.all(batch)).toEqual([failed, failed, failed]);
  expect(reports()).toBe(1);
  expect(await send("GET", "/readyz")).toBe(failed);
  expect(await send("POST", "/api/v1/accounts", bodies.account)).toBe(failed);
  expect(await send("GET", "/api/v1/accounts?search=same")).toBe("200 ok");
  const names = await engine.read((snapshot) => snapshot.all(allNames, {}));
  expect(names).toEqual([{ name: "Acme" }]);
});

test("damage that is found while a change is paused rejects this change too", async () => {
  const { engine, send } = await damagedWorld("usage_days");
  let isFound = false;
  const long = engine.write(1, async (tx) => {
    await tx.run(rename, { id: 1, name: "Half" });
    while (!isFound) await tx.pause();
  });
  const rejected = long.catch(errorCode);
  const response = await send("GET", usage);
  isFound = true;
  expect(response).toBe(failed);
  expect(await rejected).toBe("DATABASE_DAMAGED");
  expect(await engine.read((snapshot) => snapshot.all(allNames, {}))).toEqual([{ name: "Acme" }]);
});

test("if the table of keys is damaged, every request with a key is 503, and /livez replies 200", async () => {
  const { send, reports } = await damagedWorld("api_keys");
  expect(await send("GET", "/readyz")).toBe("200 ok");
  expect(await send("GET", "/api/v1/accounts")).toBe(failed);
  expect(await send("GET", "/readyz")).toBe(failed);
  expect(await send("GET", "/livez")).toBe("200 ok");
  expect(reports()).toBe(1);
});

test("the engine of a damaged database can be closed", async () => {
  const { file, engine, send } = await damagedWorld("usage_days");
  expect(await send("GET", usage)).toBe(failed);
  await engine.close();
  opened.length = 0;
  expect(readFileSync(file).length).toBeGreaterThan(0);
});
