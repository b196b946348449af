import { describe, expect, test } from "bun:test";
import { maxAttributesBytes, mergeAttributes } from "../../src/core/attributes/attributes.ts";
import type { Problem } from "../../src/core/errors.ts";
import type { Body } from "../support/world.ts";
import { accounts, attributeWorld, resources } from "./attribute-world.ts";

/** Attributes of `size` bytes of JSON: the last one fills the object. */
function attributesOf(size: number): Body {
  const full = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`a${10 + i}`, "é".repeat(500)]));
  const rest = size - Buffer.byteLength(JSON.stringify({ ...full, z: "" }));
  return { ...full, z: "x".repeat(rest) };
}
const tooLarge = (pointer: string) => ({ pointer, code: "attributes_too_large", detail: expect.any(String) });

describe.each([...resources])("$resource", (resource) => {
  test("the attributes of a row are at most 32 KiB of JSON, after merging; a shorter one makes room", async () => {
    const { create, tryCreate, patch, stored } = await attributeWorld(resource);
    const id = await create(attributesOf(maxAttributesBytes));
    const before = await stored();
    const refused = await tryCreate(attributesOf(maxAttributesBytes + 1));
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      400,
      "attributes_too_large",
      [
        {
          pointer: "/attributes",
          code: "attributes_too_large",
          detail: "must leave the row with at most 32768 bytes of JSON, not 32769; null removes one",
        },
      ],
    ]);
    expect((await patch(id, { more: 1 })).body.code).toBe("attributes_too_large");
    expect(await stored()).toEqual(before);
    expect((await patch(id, { more: 1, a10: "short" })).status).toBe(200);
  });

  test("a row with larger attributes, of an earlier version, can be changed as long as they do not grow", async () => {
    const { create, patch, execute, call, attributesOf: read } = await attributeWorld(resource);
    const id = await create({ a10: "x", z: "x" });
    const old = { ...attributesOf(50_000), a10: "x" };
    await execute(`UPDATE ${resource.resource} SET attributes = '${JSON.stringify(old)}' WHERE id = ${id}`);
    expect((await call("PATCH", `${resource.rows}/${id}`, { name: "Renamed" })).status).toBe(200);
    expect(await read(id)).toEqual(old);
    expect((await patch(id, { a10: "y" })).status).toBe(200);
    expect(await read(id)).toEqual({ ...old, a10: "y" });
    const refused = await patch(id, { a10: "yy" });
    expect([refused.status, refused.body.code]).toEqual([400, "attributes_too_large"]);
    expect(await read(id)).toEqual({ ...old, a10: "y" });
  });
});

test("in accounts/batch, the account with larger attributes fails alone", async () => {
  const { call } = await attributeWorld(resources[0]);
  const account = (externalId: string, attributes: Body) => ({ name: externalId, externalId, attributes });
  const sent = [
    account("a", { a: 1 }),
    account("b", attributesOf(maxAttributesBytes + 1)),
    account("c", { a: 1 }),
  ];
  const { body } = await call("POST", `${accounts}/batch`, { accounts: sent });
  expect([body.data.created, body.data.failed]).toEqual([2, 1]);
  expect(body.data.results[1].problem).toMatchObject({
    code: "attributes_too_large",
    errors: [tooLarge("/accounts/1/attributes")],
  });
});

test("larger attributes, of an earlier version, can be changed as long as they do not grow", () => {
  const old = JSON.stringify(attributesOf(50_000));
  const { z } = attributesOf(50_000);
  const codeOf = (change: Body) => {
    try {
      return mergeAttributes(old, change as Record<string, string>) === old ? "same" : "stored";
    } catch (error) {
      return (error as Problem).code;
    }
  };
  for (const change of [{ a10: "è".repeat(500) }, { a10: "short" }, { z: null }])
    expect(codeOf(change)).toBe("stored");
  expect(codeOf({ z })).toBe("same");
  for (const change of [{ more: 1 }, { z: `${z}x` }]) expect(codeOf(change)).toBe("attributes_too_large");
});
