import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts";
const linesOf = (text: string) => text.trimEnd().split("\n");

test("end=true adds a last line with the number of rows to JSON lines, also of several slices and of none", async () => {
  const { call } = await world();
  const read = async (query: string) => (await call("GET", `${path}.jsonl?sortBy=createdAt${query}`)).text;
  expect(await read("&end=true")).toBe('{"end":true,"rows":0}\n');
  const accounts = Array.from({ length: 450 }, (_, i) => ({ externalId: `${i}`, name: `Account ${i}` }));
  await call("POST", `${path}/batch`, { accounts });
  const without = await read("");
  expect(linesOf(without)).toHaveLength(450);
  expect(await read("&end=false")).toBe(without);
  expect(await read("&end=true")).toBe(`${without}{"end":true,"rows":450}\n`);
  expect(linesOf(await read("&end=true&externalId=7")).at(-1)).toBe('{"end":true,"rows":1}');
});

test("end is true or false, and only of JSON lines", async () => {
  const { call } = await world();
  for (const [target, code] of [
    [`${path}.jsonl?end=1`, "invalid_request"],
    [`${path}.jsonl?end=`, "invalid_request"],
    [`${path}.csv?end=true`, "unknown_parameter"],
    [`${path}?end=true`, "unknown_parameter"],
  ]) {
    const { status, body } = await call("GET", target ?? "");
    expect([target, status, body.code]).toEqual([target, 400, code]);
  }
});
