import { expect, test } from "bun:test";
import { accounts, batchWorld } from "./batch-world.ts";

const contacts = "/api/v1/contacts";

test("operations of one method see the changes of earlier ones to the same rows, as in requests of their own", async () => {
  const stored: [method: string, path: string, body: object][] = [
    ["PUT", `${accounts}/external/a`, { name: "A" }],
    ["PUT", `${accounts}/external/b`, { name: "B" }],
    ["POST", `${accounts}/external/b/contacts`, { name: "Eve", externalId: "eve" }],
    ["POST", `${accounts}/external/b/contacts`, { name: "Ida", externalId: "ida" }],
  ];
  const writes: [method: string, path: string, body?: object][] = [
    ["PUT", `${accounts}/external/a`, { mrr: 5 }],
    ["PUT", `${accounts}/external/c`, { name: "C" }],
    ["PUT", `${accounts}/external/c`, { mrr: 6 }],
    ["PUT", `${contacts}/external/ada`, { name: "Ada", accountExternalId: "a", email: "ada@x.io" }],
    ["PUT", `${contacts}/external/bob`, { name: "Bob", accountId: 1, email: "bob@x.io" }],
    ["PUT", `${contacts}/external/bob`, { email: "ada@x.io" }],
    ["PUT", `${contacts}/external/ada`, { name: "Ada 2", accountId: 2 }],
    ["PUT", `${contacts}/external/bob`, { email: "ADA@x.io" }],
    ["PUT", `${contacts}/external/none`, { name: "None", accountExternalId: "d" }],
    ["PATCH", `${contacts}/1`, { externalId: "eva" }],
    ["PATCH", `${contacts}/1`, { name: "Eva" }],
    ["PATCH", `${contacts}/999`, { name: "Nobody" }],
    ["PATCH", `${contacts}/2`, {}],
    ["PUT", `${contacts}/external/eva`, { name: "Eva 2" }],
    ["PUT", `${contacts}/external/eve`, { name: "Eve 2", accountExternalId: "c" }],
    ["PATCH", `${accounts}/external/a`, { externalId: "z" }],
    ["PATCH", `${accounts}/external/a`, { mrr: 7 }],
    ["PATCH", `${accounts}/external/z`, { mrr: 8 }],
    ["POST", `${accounts}/external/a/meetings`, { title: "M", startAt: "2026-01-01", endAt: "2026-01-01" }],
    ["POST", `${accounts}/external/z/meetings`, { title: "M", startAt: "2026-01-01", endAt: "2026-01-01" }],
    ["DELETE", `${accounts}/external/z`],
    ["DELETE", `${accounts}/1`],
    ["DELETE", `${accounts}/2`],
    ["DELETE", `${contacts}/2`],
    ["DELETE", `${contacts}/external/bob`],
    ["PUT", `${accounts}/external/a`, { name: "A again" }],
    ["POST", `${accounts}/external/z/contacts`, { name: "Nobody" }],
    ["POST", `${accounts}/external/a/contacts`, { name: "Somebody" }],
    ["POST", `${accounts}/1/contacts`, { name: "Nobody" }],
  ];
  const here = await batchWorld();
  const other = await batchWorld();
  for (const [method, path, body] of stored)
    for (const { call } of [here, other]) await call(method, path, body);
  const operations = writes.map(([method, path, body]) => ({ method, path, body }));
  const { results } = (await here.batch("partial", operations)).body.data;
  const single = [];
  for (const [method, path, body] of writes) {
    const { status, text } = await other.call(method, path, body);
    single.push({ status, body: text === "" ? null : JSON.parse(text) });
  }
  // An id is not given again after a write that failed.
  type Result = { status: number; body: { data?: object; code?: string } | null };
  const outcomeOf = ({ status, body }: Result) => [
    status,
    body?.code ?? { ...body?.data, id: 0, accountId: 0, createdAt: "", updatedAt: "" },
  ];
  expect(results.map(outcomeOf)).toEqual(single.map(outcomeOf));
  for (const path of [accounts, contacts, "/api/v1/meetings"]) {
    const names = async ({ call }: typeof here) =>
      (await call("GET", path)).body.data.map(({ name, title, externalId }: Record<string, unknown>) => [
        ...[name, title, externalId],
      ]);
    expect(await names(here)).toEqual(await names(other));
  }
});
