import { describe, expect, test } from "bun:test";
import { declareAttribute } from "../../src/attributes/declare.ts";
import { countMismatches } from "../../src/attributes/mismatches.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import type { Body } from "../support/world.ts";
import { attributeWorld, resources } from "./attribute-world.ts";

const day = 86_400_000;

describe.each([...resources])("$resource", (resource) => {
  async function declaringWorld() {
    const here = await attributeWorld(resource);
    const path = (name: string) => `/api/v1/attributes/${name}?resource=${resource.resource}`;
    const listed = async (name: string): Promise<Body> =>
      (await here.send("GET", `/api/v1/attributes?resource=${resource.resource}`)).find(
        (one: Body) => one.name === name,
      );
    return {
      ...here,
      path,
      listed,
      declare: (name: string, body: Body, options = {}) => here.call("PUT", path(name), body, options),
      ids: async (query: string): Promise<number[]> =>
        (await here.send("GET", `${resource.rows}?${query}`)).map(({ id }: Body) => id),
      runJobs: () => runDueJobs(here),
    };
  }
  const conflict = (detail: string) => ({
    status: 409,
    body: {
      code: "attribute_values_conflict",
      errors: [{ pointer: "/type", code: "attribute_type_conflict", detail }],
    },
  });
  const others = (count: number, ...examples: string[]) => {
    const shown = examples.length === 0 ? "" : `, such as ${examples.map((text) => `"${text}"`).join(", ")}`;
    return conflict(`must fit all stored values; number of others: ${count}${shown}`);
  };

  test("PUT declares a type, a label and a description; GET lists them; what GET returns can be PUT", async () => {
    const { declare, listed, create } = await declaringWorld();
    const reply = await declare("renewalDate", { type: "date", label: "Renewal", description: "End" });
    const declared = {
      name: "renewalDate",
      type: "date",
      label: "Renewal",
      description: "End",
      pending: false,
    };
    expect([reply.status, reply.body]).toEqual([200, { data: { ...declared, count: 0, values: [] } }]);
    await create({ renewalDate: "2026-09-30" });
    const values = [{ value: "2026-09-30", count: 1 }];
    expect(await listed("renewalDate")).toEqual({ ...declared, count: 1, values });
    const again = await declare("renewalDate", await listed("renewalDate"));
    expect([again.status, again.body.data]).toEqual([200, { ...declared, count: 1, values }]);
    expect((await declare("renewalDate", { type: "date" })).body.data).toMatchObject({
      label: null,
      description: null,
    });
    expect(await listed("plan")).toBeUndefined();
    await create({ plan: "pro" });
    expect(await listed("plan")).toEqual({
      ...{ name: "plan", type: "string", count: 1 },
      values: [{ value: "pro", count: 1 }],
    });
  });

  test("every later write has the declared type", async () => {
    const { declare, tryCreate, create, patch, attributesOf, call } = await declaringWorld();
    for (const [name, type] of [
      ["renewal", "date"],
      ["seats", "number"],
      ["trial", "boolean"],
      ["plan", "string"],
    ] as const)
      expect((await declare(name, { type })).status).toBe(200);
    const id = await create({ renewal: "2024-02-29", seats: 5, trial: false, plan: "pro" });
    for (const [attributes, detail] of [
      [{ renewal: "2026-02-29" }, "must be a date such as 2026-01-02, as declared"],
      [{ renewal: "2026-1-2" }, "must be a date such as 2026-01-02, as declared"],
      [{ renewal: "2026-01-02T00:00" }, "must be a date such as 2026-01-02, as declared"],
      [{ renewal: "90d" }, "must be a date such as 2026-01-02, as declared"],
      [{ renewal: 20260102 }, "must be a date such as 2026-01-02, as declared"],
      [{ seats: "5" }, "must be a number, as declared"],
      [{ trial: "false" }, "must be true or false, as declared"],
      [{ plan: 5 }, "must be a string, as declared"],
    ] as const) {
      const errors = [
        { pointer: `/attributes/${Object.keys(attributes)[0]}`, code: "attribute_type_conflict", detail },
      ];
      for (const reply of [await tryCreate(attributes), await patch(id, attributes)])
        expect([attributes, reply.status, reply.body.errors]).toEqual([attributes, 400, errors]);
    }
    expect(await attributesOf(id)).toEqual({ renewal: "2024-02-29", seats: 5, trial: false, plan: "pro" });
    await patch(id, { renewal: null, seats: null });
    expect((await patch(id, { seats: "five" })).status).toBe(400);
    expect((await patch(id, { renewal: "0001-01-01", seats: 1 })).status).toBe(200);
    // In a batch, the operation fails alone.
    const row = resource.noun === "account" ? { name: "Batch" } : { accountId: 1, name: "Batch" };
    const operations = ["one", 1].map((seats, i) => ({
      method: "PUT",
      path: `${resource.rows}/external/b${i}`,
      body: { ...row, attributes: { seats } },
    }));
    const { results } = (await call("POST", "/api/v1/batch", { mode: "partial", operations })).body.data;
    expect(results.map(({ status }: Body) => status)).toEqual([400, 201]);
  });

  test("dates are filtered by dates and relative days, and are in their order", async () => {
    const { declare, create, ids, call, now } = await declaringWorld();
    await declare("renewal", { type: "date" });
    const dateAt = (days: number) => new Date(now() + days * day).toISOString().slice(0, 10);
    const created: number[] = [];
    for (const days of [91, -1, 0, 90, -400]) created.push(await create({ renewal: dateAt(days) }));
    const [late, past, today, end, old] = created;
    const sorted = "sortBy=attributes.renewal&attributes.renewal";
    expect(await ids(`${sorted}[lte]=90d`)).toEqual([old, past, today, end] as number[]);
    expect(await ids(`${sorted}[gt]=today`)).toEqual([end, late] as number[]);
    expect(await ids(`${sorted}=today`)).toEqual([today] as number[]);
    expect(await ids(`${sorted}[in]=-1d,${dateAt(91)}`)).toEqual([past, late] as number[]);
    expect(await ids(`${sorted}[gte]=-1d&attributes.renewal[lt]=90d`)).toEqual([past, today] as number[]);
    expect(await ids(`${sorted}[contains]=${dateAt(0).slice(0, 4)}-`)).toContain(today as number);
    expect((await call("GET", `${resource.rows}?attributes.renewal[ieq]=today`)).body.errors).toMatchObject([
      { parameter: "attributes.renewal[ieq]", code: "not_allowed" },
    ]);
    expect((await ids("attributes.renewal=none")).length).toBe(resource.noun === "account" ? 1 : 0);
    for (const [parameter, text] of [
      ["attributes.renewal", "soon"],
      ["attributes.renewal[lt]", "2026-02-30"],
      ["attributes.renewal[lt]", "90"],
      ["attributes.renewal[in]", "today,x"],
      ["attributes.renewal[gt]", "2026-01-02T00:00:00Z"],
    ] as const) {
      const { status, body } = await call("GET", `${resource.rows}?${parameter}=${text}`);
      const detail =
        "must be a date such as 2026-01-02, or a day such as today, 7d (in 7 days) or -30d (30 days ago)";
      expect([text, status, body.errors]).toEqual([text, 400, [{ parameter, code: "invalid_date", detail }]]);
    }
  });

  test("pages of a cursor keep the day for dates; of an undeclared attribute, 90d is a text", async () => {
    const { declare, create, call, pass, now } = await declaringWorld();
    await declare("renewal", { type: "date" });
    const dateAt = (days: number) => new Date(now() + days * day).toISOString().slice(0, 10);
    const created = [await create({ renewal: dateAt(0), term: "90d" }), await create({ renewal: dateAt(1) })];
    const query = "sortBy=attributes.renewal&pageSize=1&attributes.renewal[gte]=today&cursor=";
    const first = (await call("GET", `${resource.rows}?${query}`)).body;
    pass(3 * day);
    const second = (await call("GET", `${resource.rows}?${query}${first.pagination.nextCursor}`)).body;
    expect([first, second].map(({ data }) => data[0].id)).toEqual(created);
    expect((await call("GET", `${resource.rows}?${query}`)).body.data).toEqual([]);
    const text = (await call("GET", `${resource.rows}?attributes.term=90d&attributes.term[in]=90d,today`))
      .body;
    expect(text.data.map(({ id }: Body) => id)).toEqual([created[0]]);
  });

  test("stored values of another type are 409 with their number and some texts, and nothing is declared", async () => {
    const { declare, create, listed } = await declaringWorld();
    for (const seats of ["1", "two", ""]) await create({ seats, end: "2026-01-02", flag: true, level: 1 });
    await create({ end: "2026-02-30" });
    await create({ end: "" });
    expect(await declare("seats", { type: "number" })).toMatchObject(others(3));
    expect(await declare("seats", { type: "number", convert: true })).toMatchObject(others(2, "", "two"));
    expect(await declare("seats", { type: "boolean", convert: true })).toMatchObject(
      others(3, "", "1", "two"),
    );
    expect(await declare("seats", { type: "date" })).toMatchObject(others(3, "", "1", "two"));
    expect(await declare("end", { type: "date" })).toMatchObject(others(2, "", "2026-02-30"));
    expect(await declare("end", { type: "date", convert: true })).toMatchObject(others(2, "", "2026-02-30"));
    expect(await declare("flag", { type: "number", convert: true })).toMatchObject(others(3));
    expect(await declare("level", { type: "string", convert: true })).toMatchObject(others(3));
    expect(await declare("level", { type: "date" })).toMatchObject(others(3));
    for (const name of ["seats", "end", "flag", "level"])
      expect(await listed(name)).not.toHaveProperty("pending");
    expect((await declare("seats", { type: "string" })).status).toBe(200);
    expect((await declare("level", { type: "number" })).status).toBe(200);
    expect(await declare("level", { type: "boolean" })).toMatchObject(others(3));
  });

  test("with convert, a job converts texts as changes; the attribute is pending until then", async () => {
    const { declare, listed, call, runJobs, attributesOf, patch, tryCreate, stored, faults, ids, send } =
      await declaringWorld();
    const texts = ["7", " 8 ", "-0.50", "123456789012345"];
    const rows = Array.from({ length: 250 }, (_, i) => ({
      ...{ externalId: `x${i}`, name: "Row" },
      attributes: { seats: texts[i % 4], trial: i % 2 ? "TRUE" : "false", note: "a" },
    }));
    const accounts =
      resource.noun === "account" ? rows : [{ externalId: "owner", name: "Owner", contacts: rows }];
    expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
    const { nextAfter } = (await call("GET", "/api/v1/changes?limit=1000")).body.pagination;
    const seats = await declare("seats", { type: "number", convert: true });
    expect([seats.status, seats.body.data]).toMatchObject([
      200,
      { type: "number", pending: true, count: 250 },
    ]);
    expect((await declare("trial", { type: "boolean", convert: true })).body.data.pending).toBe(true);
    expect((await listed("seats")).pending).toBe(true);
    // No row is without the attribute, converted or not.
    expect(await ids("attributes.seats=none&attributes.note=a")).toEqual([]);
    // A row that is not converted yet can be changed, and new values have the new type.
    const [first = 0, second = 0] = await ids("attributes.note=a&sortBy=createdAt&pageSize=2");
    expect((await patch(first, { note: "b" })).status).toBe(200);
    expect((await patch(second, { seats: 9 })).status).toBe(200);
    expect((await tryCreate({ seats: "9" })).status).toBe(400);
    expect(await faults(0)).toEqual([]);
    expect(
      (await declare("seats", { type: "number", label: "Seats", convert: true })).body.data,
    ).toMatchObject({
      ...{ label: "Seats", pending: true },
    });
    expect((await declare("seats", { type: "string" })).status).toBe(409);
    expect(await ids("attributes.seats=none&attributes.note=a")).toEqual([]);
    await runJobs();
    expect(await listed("seats")).toMatchObject({
      type: "number",
      pending: false,
      count: 250,
      label: "Seats",
    });
    expect(await listed("trial")).toMatchObject({ type: "boolean", pending: false, count: 250 });
    expect(await attributesOf(first)).toEqual({ note: "b", seats: 7, trial: false });
    expect(await attributesOf(second)).toEqual({ note: "a", seats: 9, trial: true });
    expect((await ids("attributes.seats=-0.5&pageSize=100")).length).toBe(62);
    expect((await ids("attributes.trial=true&attributes.seats[gt]=8&pageSize=100")).length).toBe(63);
    expect((await stored()).names).toContain(`${resource.noun} seats number 250`);
    expect(await faults(0)).toEqual([]);
    const { data } = await call("GET", `/api/v1/changes?after=${nextAfter}&limit=1000`).then(
      ({ body }) => body,
    );
    const change = data.find(
      ({ resourceId, actor }: Body) => resourceId === first && (actor as Body).type === "job",
    );
    expect(change).toMatchObject({
      type: `${resource.noun}.updated`,
      before: { attributes: { seats: "7" } },
      after: { attributes: { seats: 7 } },
    });
    await send("DELETE", `${resource.rows}/${first}`);
    expect(await faults(0)).toEqual([]);
  });

  test("a text that is stored while the others are read is counted", async () => {
    const { create, patch, tenant } = await declaringWorld();
    const ids = [await create({ end: "2026-01-01" }), await create({ end: "2026-01-02" })];
    const key = { resource: resource.noun, name: "end" };
    const mismatches = await tenant().read((snapshot) => countMismatches(snapshot, { ...key, type: "date" }));
    expect(mismatches.count).toBe(0);
    const input = { type: "date", label: null, description: null, canConvert: false } as const;
    const declare = () => tenant().write((tx) => declareAttribute(tx, key, input, mismatches));
    await patch(ids[0] ?? 0, { end: "soon" });
    expect(await declare().catch(({ errors }) => errors)).toEqual(others(1).body.errors);
    await patch(ids[0] ?? 0, { end: "2026-01-03" });
    expect(await declare()).toMatchObject({ type: "date", isPending: 0 });
  });

  test("more texts than one statement reads are counted once each", async () => {
    const { call, declare } = await declaringWorld();
    for (let start = 0; start < 2_000; start += 1_000) {
      const rows = Array.from({ length: 1_000 }, (_, i) => ({
        ...{ externalId: `x${start + i}`, name: "Row" },
        attributes: { code: `c${start + i}` },
      }));
      const accounts =
        resource.noun === "account" ? rows : [{ externalId: "owner", name: "Owner", contacts: rows }];
      expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
    }
    expect(await declare("code", { type: "date" })).toMatchObject(others(2_000, "c0", "c1", "c10"));
  });

  test("names, bodies and resources that are invalid are 400; names that every object has are names as others", async () => {
    const { declare, call, path, listed, create } = await declaringWorld();
    for (const name of ["1a", "a-b", "a.b", "__proto__", "a%20b", "%C3%A9", "x".repeat(65)])
      expect([name, (await declare(name, { type: "date" })).body]).toMatchObject([
        name,
        { code: "invalid_request", errors: [{ parameter: "name", code: "not_allowed" }] },
      ]);
    for (const body of [
      {},
      { type: "int" },
      { type: null },
      { type: "date", label: 1 },
      { type: "date", convert: "yes" },
    ])
      expect([body, (await declare("plan", body)).status]).toEqual([body, 400]);
    expect(
      (await call("PUT", "/api/v1/attributes/plan?resource=meetings", { type: "date" })).body,
    ).toMatchObject({
      errors: [{ parameter: "resource", code: "not_allowed" }],
    });
    expect((await call("GET", path("plan"))).status).toBe(405);
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      expect((await declare(name, { type: "number" })).status).toBe(200);
      await create({ [name]: 1 });
      expect(await listed(name)).toMatchObject({ type: "number", count: 1, pending: false });
    }
  });

  test("a dry run declares nothing; a repeated Idempotency-Key has the first reply; the scope is admin", async () => {
    const { call, path, listed, create, declare } = await declaringWorld();
    expect((await call("PUT", `${path("plan")}&dryRun=true`, { type: "date" })).status).toBe(200);
    expect(await listed("plan")).toBeUndefined();
    const options = { headers: { "idempotency-key": "once" } };
    const first = await declare("plan", { type: "date", convert: true }, options);
    expect(first.status).toBe(200);
    await create({ plan: "2026-01-02" });
    const again = await declare("plan", { type: "date", convert: true }, options);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    const { key } = (await call("POST", "/api/v1/keys", { name: "w", scopes: ["read", "write"] })).body.data;
    expect((await declare("plan", { type: "date" }, { key })).body.code).toBe("insufficient_scope");
  });
});

test("1,000 names can be declared", async () => {
  const { call, execute, first } = await attributeWorld(resources[0]);
  const rows = Array.from({ length: 1_000 }, (_, i) => `(${first.id}, 'account', 'n${i}', 'number')`);
  await execute(`INSERT INTO attribute_types (organization_id, resource, name, type) VALUES ${rows}`);
  const { status, body } = await call("PUT", "/api/v1/attributes/other", { type: "date" });
  expect([status, body.errors[0].code]).toEqual([400, "too_many"]);
  expect((await call("PUT", "/api/v1/attributes/n7", { type: "date" })).status).toBe(200);
  expect((await call("PUT", "/api/v1/attributes/other?resource=contacts", { type: "date" })).status).toBe(
    200,
  );
});
