import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { folder, output } from "./binary.ts";
import { quickstart } from "./served-quickstart.ts";

setDefaultTimeout(60_000);
const day = 24 * 3_600_000;

// One quickstart for all tests, which only read: it ends when none of them runs.
let cwd: string;
let running: Awaited<ReturnType<typeof quickstart>>;
const get = (path: string) => running.get(path);
beforeAll(async () => {
  cwd = folder();
  running = await quickstart(cwd);
});

test.concurrent("The quickstart creates data/quickstart.db with 503 accounts of one organization; externalId is the symbol", async () => {
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

test.concurrent("The key of the quickstart expires after 24 hours", async () => {
  const text = await output(["keys", "list", "--json", "--database", "data/quickstart.db"], { cwd });
  const keys: { createdAt: string; expiresAt: string; lastFour: string }[] = JSON.parse(text);
  expect(keys.map(({ lastFour }) => lastFour)).toEqual([running.key.slice(-4)]);
  expect(keys.map(({ createdAt, expiresAt }) => Date.parse(expiresAt) - Date.parse(createdAt))).toEqual([
    day,
  ]);
});
