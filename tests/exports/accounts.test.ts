import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { beginningText, world } from "../support/world.ts";

import { linesOf } from "./export-lines.ts";

const path = "/api/v1/accounts";

test("GET /api/v1/accounts.csv has every column of each account, and quotes as RFC 4180", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: 'Acme "A", Inc.', externalId: "acme", mrr: -5.5, status: "churned" });
  await call("PATCH", `${path}/${id}`, { logoUrl: "https://x.io/a,b.png", contactActivityAt: "2026-01-01" });
  await account({ name: " line\none " });
  const { status, headers, text } = await call("GET", `${path}.csv`);
  expect([status, headers.get("content-type"), headers.get("content-disposition")]).toEqual([
    200,
    "text/csv; charset=utf-8",
    'attachment; filename="accounts.csv"',
  ]);
  expect(headers.get("cache-control")).toBe("no-store");
  const { updatedAt } = (await call("GET", `${path}/${id}`)).body.data;
  expect(text).toBe(
    [
      "id,externalId,name,mrr,status,logoUrl,contactActivityAt,createdAt,updatedAt",
      `${id + 1},," line\none ",0,active,,,${beginningText},${beginningText}`,
      `${id},acme,"Acme ""A"", Inc.",-5.5,churned,"https://x.io/a,b.png",2026-01-01T00:00:00.000Z,${beginningText},${updatedAt}`,
      "",
    ].join("\n"),
  );
});

test("GET /api/v1/accounts.jsonl has the same values as JSON", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "=Acme", mrr: 5, externalId: "acme" });
  const { status, headers, text } = await call("GET", `${path}.jsonl`);
  expect([status, headers.get("content-type")]).toEqual([200, "application/jsonl"]);
  expect(linesOf(text)).toEqual([
    {
      id,
      externalId: "acme",
      name: "=Acme",
      mrr: 5,
      status: "active",
      logoUrl: null,
      contactActivityAt: null,
      attributes: {},
      createdAt: beginningText,
      updatedAt: beginningText,
    },
  ]);
});

test.each([
  [undefined, "application/jsonl"],
  ["*/*", "application/jsonl"],
  ["application/jsonl, application/x-ndjson", "application/jsonl"],
  ["application/x-ndjson;q=0, */*", "application/jsonl"],
  ["text/x-ndjson", "application/jsonl"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["text/html, Application/X-NDJSON ; q=0.5, */*;q=0.1", "application/x-ndjson"],
  ["application/jsonl;q=0.4,application/x-ndjson;q=0.5", "application/x-ndjson"],
])("JSON lines for a request with Accept: %s have the type %s, and the same lines", async (accept, type) => {
  const { call, account } = await world();
  await account({ name: "Acme", externalId: "acme" });
  await account({ name: "Bolt" });
  await call("POST", "/api/v1/events", { event: "opened", externalId: "acme" });
  const headers: Record<string, string> = accept === undefined ? {} : { accept };
  for (const [method, address, count] of [
    ["GET", `${path}.jsonl`, 2],
    ["GET", "/api/v1/events.jsonl", 1],
    ["HEAD", `${path}.jsonl`, 0],
  ] as const) {
    const reply = await call(method, address, undefined, { headers });
    expect([address, reply.headers.get("content-type"), reply.headers.get("vary")]).toEqual([
      address,
      type,
      "accept, accept-encoding",
    ]);
    if (method === "GET") expect(linesOf(reply.text)).toHaveLength(count);
  }
  const csv = await call("GET", `${path}.csv`, undefined, { headers });
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
});

test("An export has all rows, in the order and with the filters of the list", async () => {
  const { call } = await world();
  const accounts = Array.from({ length: 950 }, (_, i) => ({
    externalId: `a-${i}`,
    name: `Account ${(i * 7) % 450}`,
    // Many rows with equal values: slices end among them.
    mrr: i % 3,
    status: i % 2 === 0 ? "active" : "churned",
    attributes: { plan: i % 3 === 0 ? "pro" : "team", ...(i % 4 === 0 && { seats: i % 5 }) },
  }));
  await call("POST", `${path}/batch`, { accounts });
  for (const query of [
    "",
    "sortBy=mrr&sortOrder=desc",
    "status=churned&sortBy=createdAt",
    "search=account%201",
    "mrr[gte]=1&mrr[lt]=2&sortBy=name&sortOrder=desc",
    "externalId[in]=a-1,a-7,nobody",
    "sortBy=healthScore",
    "search=nothing",
  ]) {
    const listed: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: Awaited<ReturnType<typeof call>> = await call(
        "GET",
        `${path}?${query}&pageSize=100&cursor=${cursor}`.replace("?&", "?"),
      );
      listed.push(...page.body.data.map(({ id }: { id: number }) => id));
      cursor = page.body.pagination.nextCursor;
    }
    const asJson = linesOf((await call("GET", `${path}.jsonl?${query}`)).text).map(({ id }) => id);
    expect([query, asJson]).toEqual([query, listed]);
    const rows: Record<string, string>[] = parse((await call("GET", `${path}.csv?${query}`)).text, {
      columns: true,
    });
    expect([query, rows.map(({ id }) => Number(id))]).toEqual([query, listed]);
  }
});

test.each(["csv", "jsonl"])(
  "GET accounts.%s takes no page, and not every selection of members",
  async (format) => {
    const { call } = await world();
    for (const name of ["page", "pageSize", "cursor", "fields"]) {
      const { status, body } = await call("GET", `${path}.${format}?${name}=1`);
      expect([name, status, body.code]).toEqual([name, 400, "unknown_parameter"]);
    }
    expect((await call("GET", `${path}.${format}?sortBy=nothing`)).status).toBe(400);
    expect((await call("GET", `${path}.${format}`, undefined, { key: null })).status).toBe(401);
  },
);

test.each(["csv", "jsonl"])("A slice of accounts.%s with large attributes has fewer rows", async (format) => {
  const { call, app, first } = await world();
  // 32 attributes of 500 characters, two bytes each: 32 kB. Every third account has none.
  const large = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`text${i}`, "é".repeat(500)]));
  for (let start = 0; start < 240; start += 15) {
    const accounts = Array.from({ length: 15 }, (_, i) => {
      const name = `${start + i}`.padStart(3, "0");
      return { externalId: name, name, ...(i % 3 > 0 && { attributes: large }) };
    });
    expect((await call("POST", `${path}/batch`, { accounts })).body.data.created).toBe(15);
  }
  const request = new Request(`http://localhost${path}.${format}`, { headers: { "x-api-key": first.key } });
  const { body } = await app.fetch(request);
  const parts = await Array.fromAsync(body ?? []);
  expect(parts.length).toBeGreaterThan(4);
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(1_250_000);
  const text = Buffer.concat(parts).toString();
  const rows: Record<string, unknown>[] = format === "csv" ? parse(text, { columns: true }) : linesOf(text);
  expect(rows.map(({ name }) => name)).toEqual(rows.map((_, i) => `${i}`.padStart(3, "0")));
  expect(rows).toHaveLength(240);
  expect(text.match(/é/g)).toHaveLength(160 * 32 * 500);
});
