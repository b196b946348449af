import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

import { linesOf } from "./export-lines.ts";

const path = "/api/v1/accounts";

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
