import { expect, test } from "bun:test";
import { ByteBudget } from "../../src/http/byte-budget.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/contacts?cursor=&pageSize=100";
/** Attributes of about 30 KB, with surrogate pairs at any place of a part. */
const attributes = (i: number) =>
  Object.fromEntries(
    Array.from({ length: 50 }, (_, j) => [`a${j}`, `${"x".repeat((i + j) % 7)}${"😀".repeat(140)}`]),
  );

/** A world whose contacts make a page of about 1 MB. */
async function withLargePage(budget = new ByteBudget(50_331_648)) {
  const here = await world({ budget });
  const account = await here.call("POST", "/api/v1/accounts", { name: "A" });
  for (let i = 0; i < 30; i += 1)
    await here.call("POST", `/api/v1/accounts/${account.body.data.id}/contacts`, {
      name: `Ada ${i}`,
      attributes: attributes(i),
    });
  return { ...here, budget };
}

test("a large response has all of its rows, also in gzip and to HEAD", async () => {
  const { call, app, budget, first } = await withLargePage();
  const plain = await call("GET", path);
  expect(plain.text.length).toBeGreaterThan(300_000);
  expect(plain.headers.get("content-type")).toBe("application/json");
  for (const row of plain.body.data) {
    const expected = attributes(Number(row.name.slice("Ada ".length)));
    expect(Bun.deepEquals(row.attributes, expected)).toBe(true);
  }
  expect(budget.usedBytes).toBe(0);
  const fetch = createFetch(app.fetch, { budget });
  const headers = { "x-api-key": first.key, "accept-encoding": "gzip" };
  const compressed = await fetch(new Request(`http://localhost${path}`, { headers }));
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  const bytes = new Uint8Array(await compressed.arrayBuffer());
  expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(plain.text);
  const head = await fetch(new Request(`http://localhost${path}`, { method: "HEAD", headers }));
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(budget.usedBytes).toBe(0);
});

test("a large response uses the budget until its client has received it or has disconnected", async () => {
  const { app, budget, first, call } = await withLargePage();
  const fetch = createFetch(app.fetch, { budget });
  const size = Buffer.byteLength((await call("GET", path)).text);
  const disconnected = new AbortController();
  const open = (signal?: AbortSignal) =>
    fetch(
      new Request(`http://localhost${path}`, {
        headers: { "x-api-key": first.key },
        ...(signal && { signal }),
      }),
    );
  const [received, cancelled] = [await open(), await open()];
  await open(disconnected.signal);
  expect(budget.usedBytes).toBe(3 * size);
  disconnected.abort();
  expect(budget.usedBytes).toBe(2 * size);
  await cancelled.body?.cancel();
  expect(budget.usedBytes).toBe(size);
  let length = 0;
  for await (const part of received.body ?? []) {
    expect(part.byteLength).toBeLessThan(300_000);
    length += part.byteLength;
    if (length < size / 2) expect(budget.usedBytes).toBe(size);
  }
  expect([length, budget.usedBytes]).toEqual([size, 0]);
});

test("a read whose response finds no room is 503, a write is acknowledged", async () => {
  const { call, budget, first } = await withLargePage(new ByteBudget(6_000_000));
  const organizationId = first.id;
  budget.use(organizationId, 1_800_000);
  const { status, headers, body } = await call("GET", path);
  expect([status, body.code, headers.get("retry-after")]).toEqual([503, "too_busy", "1"]);
  const small = await call("GET", `${path}&fields=name`);
  expect(small.status).toBe(200);
  const { data } = small.body;
  const operations = data.map(({ id }: { id: number }) => ({
    method: "PATCH",
    path: `/api/v1/contacts/${id}`,
    body: { name: "B" },
  }));
  const written = await call("POST", "/api/v1/batch", { mode: "atomic", operations });
  expect(written.status).toBe(200);
  expect(written.text.length).toBeGreaterThan(300_000);
  budget.release(organizationId, 1_800_000);
  expect(budget.usedBytes).toBe(0);
});
