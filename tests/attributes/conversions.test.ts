import { describe, expect, test } from "bun:test";
import { declareAttribute } from "../../src/attributes/declare.ts";
import { countMismatches } from "../../src/attributes/mismatches.ts";
import type { Body } from "../support/world.ts";
import { resources } from "./attribute-world.ts";

import { declaringWorld, others } from "./declaring-world.ts";

describe.each([...resources])("$resource", (resource) => {
  test("stored values of another type are 409 with their number and some texts, and nothing is declared", async () => {
    const { declare, create, listed } = await declaringWorld(resource);
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
      await declaringWorld(resource);
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
    const { create, patch, tenant } = await declaringWorld(resource);
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
    const { call, declare } = await declaringWorld(resource);
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
});
