import { expect, test } from "bun:test";
import { join } from "node:path";
import { type FieldViolation, invalidField, Problem, violationCodes } from "../../src/core/errors.ts";
import { type ItemError, itemCodes } from "../../src/core/item-codes.ts";
import { problemCodes } from "../../src/core/problem-types.ts";
import type { Violation } from "../../src/http/validation/constraints.ts";
import { world } from "../support/world.ts";

const src = join(import.meta.dir, "../../src");

test("the document lists the codes of problems, violations and items as enums", async () => {
  const { call } = await world();
  const { schemas } = (await call("GET", "/docs/json", undefined, { key: null })).body.components;
  expect(schemas.Problem.properties.code.enum).toEqual([...problemCodes]);
  expect(schemas.Violation.properties.code.enum).toEqual([...violationCodes]);
  expect(schemas.ItemOutcome.properties.code.enum).toEqual([...itemCodes]);
});

test("every code in the lists is used", async () => {
  let source = "";
  for (const path of new Bun.Glob("**/*.ts").scanSync(src)) {
    const text = await Bun.file(join(src, path)).text();
    // The lists themselves come before the class.
    source += path === "core/errors.ts" ? text.slice(text.indexOf("export class Problem")) : text;
  }
  expect(source.length).toBeGreaterThan(100_000);
  const codes = new Set<string>([...problemCodes, ...violationCodes, ...itemCodes]);
  expect([...codes].filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});

test("a code that is not in its list does not compile", () => {
  // @ts-expect-error: no code of a problem
  expect(() => new Problem("invalid_reqest")).toThrow();
  // @ts-expect-error: no code of a violation
  invalidField("/name", "requird", "is required");
  // @ts-expect-error: a violation of a field is not a code of an item
  const outcome: ItemError = { code: "repeated", detail: "" };
  // @ts-expect-error: no code that one value can have
  const violation: Violation = { code: "duplicate", detail: "" };
  // @ts-expect-error: no code of a violation
  const field: FieldViolation = { pointer: "/name", code: "invalid_request", detail: "" };
  expect([outcome, violation, field]).toHaveLength(3);
});
