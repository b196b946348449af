import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { start } from "./binary.ts";
import { service } from "./service.ts";

test("a search in 1,500 accounts in another order than by name runs in processes of the binary, which end with the server", async () => {
  const { send, server, database, cwd } = await service({ READ_WORKERS: "3" });
  const client = new Database(database, { readwrite: true });
  const insert = client.prepare(
    "INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at) VALUES (1, ?, ?, ?, 'active', 0, 0)",
  );
  client.transaction(() => {
    for (let i = 0; i < 1_500; i += 1) insert.run(`Acme ${i}`, `acme ${i}`, i);
  })();
  client.close();
  const paths = Array.from({ length: 5 }, (_, i) => `/api/v1/accounts?search=e 1&sortBy=mrr&page=${i + 1}`);
  const replies = await Promise.all(paths.map((path) => send("GET", path)));
  const found = Array.from({ length: 1_500 }, (_, i) => `Acme ${i}`).filter((name) => name.includes("e 1"));
  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(replies.map(({ body }) => body.pagination.total)).toEqual(Array(5).fill(found.length));
  const names = replies.flatMap(({ body }) => body.data.map(({ name }: { name: string }) => name));
  expect(names).toEqual(found.slice(0, 125));
  const readers = childrenOf(server.pid);
  expect(readers).toHaveLength(2);
  process.kill(server.pid, "SIGKILL");
  const again = await start(["serve", "--port", "0"], { cwd });
  expect(again.isRunning()).toBe(true);
  for (let i = 0; i < 200 && readers.some(isRunning); i += 1) await Bun.sleep(50);
  expect(readers.filter(isRunning)).toEqual([]);
});

function childrenOf(pid: number): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(pid)]);
  return stdout.toString().trim().split("\n").map(Number);
}

function isRunning(pid: number): boolean {
  return /^[^Z]/.test(Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)]).stdout.toString());
}
