import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { endAll } from "./binary.ts";
import { service } from "./service.ts";

afterEach(endAll);

test("a search in 1,500 accounts in another order than by name runs on a thread of the binary", async () => {
  const { send, server, database } = await service({ READ_WORKERS: "2" });
  const client = new Database(database, { readwrite: true });
  const insert = client.prepare(
    "INSERT INTO accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at) VALUES (1, ?, ?, ?, 'active', 0, 0)",
  );
  client.transaction(() => {
    for (let i = 0; i < 1_500; i += 1) insert.run(`Acme ${i}`, `acme ${i}`, i);
  })();
  client.close();
  const paths = Array.from({ length: 5 }, (_, i) => `/api/v1/accounts?search=e 1&sortBy=mrr&page=${i + 1}`);
  const before = threadCount(server.pid);
  const replies = await Promise.all(paths.map((path) => send("GET", path)));
  const found = Array.from({ length: 1_500 }, (_, i) => `Acme ${i}`).filter((name) => name.includes("e 1"));
  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(200));
  expect(replies.map(({ body }) => body.pagination.total)).toEqual(Array(5).fill(found.length));
  const names = replies.flatMap(({ body }) => body.data.map(({ name }: { name: string }) => name));
  expect(names).toEqual(found.slice(0, 125));
  expect(threadCount(server.pid)).toBeGreaterThanOrEqual(before + 2);
});

function threadCount(pid: number): number {
  return Array.from(new Bun.Glob("*").scanSync({ cwd: `/proc/${pid}/task`, onlyFiles: false })).length;
}
