import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { beginningText, world } from "../support/world.ts";

const path = "/api/v1/accounts";

function linesOf(text: string): Record<string, unknown>[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

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

test("Texts that a spreadsheet would run as formulas are escaped in CSV, numbers are not", async () => {
  const { call, account } = await world();
  const names = ["=1+1", "+A1", "-1+1", "@SUM(A1)", "\tx", "\rx", "'=1", "'quoted", "a=b", "-1"];
  for (const name of names) await account({ name, mrr: -3 });
  const rows: Record<string, string>[] = parse((await call("GET", `${path}.csv?sortBy=createdAt`)).text, {
    columns: true,
    record_delimiter: "\n",
  });
  expect(rows.map(({ name }) => name ?? "")).toEqual([
    ..."=1+1 +A1 -1+1 @SUM(A1) \tx \rx '=1".split(" ").map((name) => `'${name}`),
    "'quoted",
    "a=b",
    "-1",
  ]);
  expect(new Set(rows.map(({ mrr }) => mrr))).toEqual(new Set(["-3"]));
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

/** A world with 1,000 accounts, and the number of reads of the database since. */
async function countedReads() {
  const here = await world();
  const accounts = Array.from({ length: 1_000 }, (_, i) => ({ externalId: `${i}`, name: "x".repeat(250) }));
  await here.call("POST", `${path}/batch`, { accounts });
  let readCount = 0;
  const { read } = here.engine;
  here.engine.read = (fn, options) => {
    readCount += 1;
    return read(fn, options);
  };
  const get = (format: string) =>
    here.app.fetch(
      new Request(`http://localhost${path}.${format}`, { headers: { "x-api-key": here.first.key } }),
    );
  return { get, readCount: () => readCount };
}

test.each(["csv", "jsonl"])(
  "A slice of accounts.%s is read when the client has received those before it",
  async (format) => {
    const { get, readCount } = await countedReads();
    const reader = (await get(format)).body?.getReader();
    await reader?.read();
    await Bun.sleep(20);
    // The one that was received, and one in advance; of CSV, the names of the columns, too.
    const isCsv = format === "csv" ? 1 : 0;
    expect(readCount()).toBeLessThanOrEqual(2 + isCsv);
    while (!(await reader?.read())?.done);
    // The first slice has 20 accounts, further ones 200.
    expect(readCount()).toBe(6 + isCsv);
  },
);

test("A client that goes away ends the export", async () => {
  const { get, readCount } = await countedReads();
  await (await get("csv")).body?.cancel();
  await Bun.sleep(20);
  expect(readCount()).toBeLessThanOrEqual(3);
});

test("An error during an export is logged, and ends the body with an error", async () => {
  const { app, engine, first, account, lines } = await world();
  for (let i = 0; i < 201; i += 1) await account({ name: `${i}` });
  const response = await app.fetch(
    new Request(`http://localhost${path}.csv`, {
      headers: { "x-api-key": first.key, "x-request-id": "mine" },
    }),
  );
  engine.read = () => Promise.reject(new Error("the database is gone"));
  expect(response.status).toBe(200);
  const error = await response.text().catch((error: unknown) => error);
  expect(String(error)).toContain("the database is gone");
  expect(lines).toMatchObject([
    { event: "request_failed", fields: { requestId: "mine", code: "internal_error", status: 500 } },
  ]);
});

/** An export of 950 accounts in the order of an attribute, of which the first part was received. */
async function begunExport(query: string) {
  const here = await world();
  const update = async (attributes: object) => {
    const accounts = Array.from({ length: 950 }, (_, i) => ({
      externalId: `a-${i}`,
      name: `Account ${i}`,
      attributes,
    }));
    const { status } = await here.call("POST", `${path}/batch`, { accounts });
    expect(status).toBe(200);
  };
  await update({ seats: 5 });
  const { read } = here.engine;
  let runningReads = 0;
  here.engine.read = async (fn, options) => {
    runningReads += 1;
    return read(fn, options).finally(() => {
      runningReads -= 1;
    });
  };
  const request = new Request(`http://localhost${path}.jsonl?${query}`, {
    headers: { "x-api-key": here.first.key },
  });
  const reader = (await here.app.fetch(request)).body?.getReader();
  if (!reader) throw new Error("the reply has no body");
  const parts = [(await reader.read()).value];
  // The next slice is read in advance.
  do await Bun.sleep(20);
  while (runningReads > 0);
  const readRest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
    return linesOf(Buffer.concat(parts.map((part) => part ?? new Uint8Array())).toString());
  };
  return { ...here, update, readRest };
}

test.each(["asc", "desc"])(
  "An export in the order of an attribute ends when no account has the attribute any more: %s",
  async (order) => {
    const { update, readRest, lines } = await begunExport(`sortBy=attributes.seats&sortOrder=${order}`);
    await update({ seats: null });
    const ids = new Set((await readRest()).map(({ id }) => id));
    // In ascending order, the accounts without the attribute follow.
    expect(ids.size).toBeGreaterThanOrEqual(order === "asc" ? 950 : 200);
    expect(lines).toEqual([]);
  },
);

test("An export whose attribute gets another type ends with an error, which is logged", async () => {
  const { update, readRest, lines } = await begunExport("sortBy=attributes.seats");
  await update({ seats: null });
  await update({ seats: "five" });
  const error = await readRest().catch((error: unknown) => error);
  expect(String(error)).toContain("invalid_cursor");
  expect(lines).toMatchObject([{ event: "request_failed", fields: { code: "internal_error" } }]);
});

test("An error before the first row is a problem", async () => {
  const { engine, call } = await world();
  engine.read = () => Promise.reject(new Error("the database is gone"));
  const { status, body } = await call("GET", `${path}.csv`);
  expect([status, body.code]).toEqual([500, "internal_error"]);
});
