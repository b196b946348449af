import { describe, expect, test } from "bun:test";
import type { ListedAttribute } from "../../src/attributes/list.ts";
import { attributeWorld, resources } from "./attribute-world.ts";

describe.each([...resources])("$resource", (resource) => {
  const path = `/api/v1/attributes?resource=${resource.resource}`;

  test("GET /api/v1/attributes returns names, types, counts and frequent values, by name", async () => {
    const { create, send, remove } = await attributeWorld(resource);
    expect(await send("GET", path)).toEqual([]);
    for (const plan of ["pro", "free", "pro", "team"]) await create({ plan, seats: 2.5 });
    await create({ trial: true, Zone: "eu" });
    const last = await create({ trial: false, plan: "free", gone: 1 });
    expect(await send("GET", path)).toEqual([
      { name: "Zone", type: "string", count: 1, values: [{ value: "eu", count: 1 }] },
      { name: "gone", type: "number", count: 1, values: [{ value: 1, count: 1 }] },
      {
        name: "plan",
        type: "string",
        count: 5,
        values: [
          { value: "free", count: 2 },
          { value: "pro", count: 2 },
          { value: "team", count: 1 },
        ],
      },
      { name: "seats", type: "number", count: 4, values: [{ value: 2.5, count: 4 }] },
      {
        name: "trial",
        type: "boolean",
        count: 2,
        values: [
          { value: false, count: 1 },
          { value: true, count: 1 },
        ],
      },
    ]);
    await remove(last);
    const names = (await send("GET", path)).map(({ name }: { name: string }) => name);
    expect(names).toEqual(["Zone", "plan", "seats", "trial"]);
  });

  test("an attribute has its ten most frequent values", async () => {
    const { call, send } = await attributeWorld(resource);
    const rows = Array.from({ length: 30 }, (_, i) => ({
      externalId: `x${i}`,
      name: "Row",
      attributes: { level: i % 15 },
    }));
    const accounts =
      resource.noun === "account" ? rows : [{ externalId: "owner", name: "Owner", contacts: rows }];
    expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
    const [level] = await send("GET", path);
    expect([level.count, level.values.length]).toEqual([30, 10]);
    expect(new Set(level.values.map(({ count }: { count: number }) => count))).toEqual(new Set([2]));
  });
});

test("the values of the list have at most 1 MiB of JSON, and the last ones are left out", async () => {
  const { call, send } = await attributeWorld(resources[0]);
  const [nameCount, valueCount, namesPerRow] = [200, 10, 20];
  const textOf = (value: number) => `${value}`.padEnd(500, "ж");
  const nameOf = (name: number) => `a${`${name}`.padStart(3, "0")}`;
  const rows = Array.from({ length: (nameCount / namesPerRow) * valueCount }, (_, row) => {
    const first = Math.floor(row / valueCount) * namesPerRow;
    const names = Array.from({ length: namesPerRow }, (_, i) => [
      nameOf(first + i),
      textOf(row % valueCount),
    ]);
    return { externalId: `x${row}`, name: "Row", attributes: Object.fromEntries(names) };
  });
  for (let first = 0; first < rows.length; first += 20) {
    const accounts = rows.slice(first, first + 20);
    expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
  }
  const listed: ListedAttribute[] = await send("GET", "/api/v1/attributes?resource=accounts");
  expect(listed.map(({ name, count }) => [name, count])).toEqual(
    Array.from({ length: nameCount }, (_, i) => [nameOf(i), valueCount]),
  );
  const counts = listed.map(({ values }) => values.length);
  const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
  const fitting = Math.floor(1_048_576 / bytesOf({ value: textOf(0), count: 1 }));
  expect(fitting).toBeLessThan(nameCount * valueCount);
  const full = Math.floor(fitting / valueCount);
  expect(counts).toEqual([
    ...Array(full).fill(valueCount),
    fitting % valueCount,
    ...Array(nameCount - full - 1).fill(0),
  ]);
});

test("values of an attribute are counted although other attributes have thousands of newer values", async () => {
  const { call, send } = await attributeWorld(resources[0]);
  const names = Array.from({ length: 49 }, (_, i) => `n${i}`);
  const newer = (i: number) => Object.fromEntries(names.map((name) => [name, i]));
  const older = { plan: "pro", trial: true };
  const attributesOf = (i: number) => {
    if (i === 0) return { rare: "x", sum: 0.1 + 0.2 };
    return i < 150 ? older : newer(i);
  };
  const accounts = Array.from({ length: 350 }, (_, i) => ({
    externalId: `x${i}`,
    name: "Row",
    attributes: attributesOf(i),
  }));
  expect((await call("POST", "/api/v1/accounts/batch", { accounts })).body.data.failed).toBe(0);
  const listed: ListedAttribute[] = await send("GET", "/api/v1/attributes");
  const valuesOf = (name: string) => listed.find((attribute) => attribute.name === name)?.values;
  const count = expect.any(Number);
  expect(valuesOf("plan")).toEqual([{ value: "pro", count }]);
  expect(valuesOf("trial")).toEqual([{ value: true, count }]);
  expect(valuesOf("rare")).toEqual([{ value: "x", count: 1 }]);
  expect(valuesOf("sum")).toEqual([{ value: 0.1 + 0.2, count: 1 }]);
  expect(listed.filter(({ values }) => values.length === 0)).toEqual([]);
  expect(valuesOf("n7")).toHaveLength(10);
});
