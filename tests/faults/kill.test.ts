import { afterEach, expect, test } from "bun:test";
import { command, killAll, organization, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";

const accounts = "/api/v1/accounts";
type Page = { data: { id: number; name: string }[]; pagination: { total: number; hasNextPage: boolean } };

afterEach(killAll);

/**
 * Creates accounts, 32 at a time, until the server is gone; notes in `answered` each that was answered 201.
 * Returns all other statuses.
 */
async function createUntilGone(url: string, key: string, round: number, answered: Map<number, string>) {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const others: number[] = [];
  let next = 0;
  async function createOneByOne(): Promise<void> {
    for (;;) {
      next += 1;
      const name = `round ${round} account ${next}`;
      const body = JSON.stringify({ name, contactName: "Ada", status: next % 2 ? "active" : "churned" });
      const response = await fetch(url + accounts, { method: "POST", headers, body });
      const reply = (await response.json()) as { data: { id: number } };
      if (response.status === 201) answered.set(reply.data.id, name);
      else others.push(response.status);
    }
  }
  await Promise.allSettled(Array.from({ length: 32 }, createOneByOne));
  return others;
}

/** All accounts that the server lists, and the total that it says there are. */
async function listAll(url: string, key: string, filter = "") {
  const rows: Page["data"] = [];
  for (let page = 1; ; page += 1) {
    const path = `${accounts}?page=${page}&pageSize=100&sortBy=createdAt${filter}`;
    const response = await fetch(url + path, { headers: { "x-api-key": key } });
    expect(response.status).toBe(200);
    const { data, pagination } = (await response.json()) as Page;
    rows.push(...data);
    if (!pagination.hasNextPage) return { rows, total: pagination.total };
  }
}

test("after a SIGKILL amid writes every account that was answered is there once, and is counted", async () => {
  const file = temporaryFile("accountd.db");
  const key = await organization(file);
  const answered = new Map<number, string>();
  for (let round = 1; round <= 3; round += 1) {
    const before = answered.size;
    const { process, url } = await serve(file);
    const creating = createUntilGone(url, key, round, answered);
    await Bun.sleep(300);
    process.kill("SIGKILL");
    const [others] = await Promise.all([creating, process.exited]);
    expect(others).toEqual([]);
    expect(answered.size).toBeGreaterThan(before + 32);

    const again = await serve(file);
    const { rows, total } = await listAll(again.url, key);
    const stored = new Map(rows.map(({ id, name }) => [id, name]));
    const lost = [...answered].filter(([id, name]) => stored.get(id) !== name);
    expect(lost).toEqual([]);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(total).toBe(rows.length);
    for (const status of ["active", "churned"]) {
      const some = await listAll(again.url, key, `&status=${status}`);
      expect(some.total).toBe(some.rows.length);
    }
    again.process.kill("SIGTERM");
    expect(await again.process.exited).toBe(0);
  }
  expect(await command("check", "--database", file)).not.toContain("damaged");
}, 15_000);
