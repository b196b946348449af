import { describe, expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { attributeWorld, resources } from "./attribute-world.ts";

import { declaringWorld } from "./declaring-world.ts";

const day = 86_400_000;

describe.each([...resources])("$resource", (resource) => {
  test("PUT declares a type, a label and a description; GET lists them; what GET returns can be PUT", async () => {
    const { declare, listed, create } = await declaringWorld(resource);
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
    const { declare, tryCreate, create, patch, attributesOf, call } = await declaringWorld(resource);
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
    const { declare, create, ids, call, now } = await declaringWorld(resource);
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
    const { declare, create, call, pass, now } = await declaringWorld(resource);
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

  test("names, bodies and resources that are invalid are 400; names that every object has are names as others", async () => {
    const { declare, call, path, listed, create } = await declaringWorld(resource);
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
    const { call, path, listed, create, declare } = await declaringWorld(resource);
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
