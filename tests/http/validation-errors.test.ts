import { expect, test } from "bun:test";
import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { ValidationError } from "elysia";
import { integer, text, wholeNumberParameter } from "../../src/http/validation/shapes.ts";
import { validationProblem } from "../../src/http/validation/validation-errors.ts";
import { world } from "../support/world.ts";

/** The violations of a request with this body or query, from Elysia's validation error. */
function violationsOf(where: "body" | "query", shape: TObject, value: unknown) {
  return validationProblem(new ValidationError(where, TypeCompiler.Compile(shape), value)).errors;
}

const members = (count: number, shape: TProperties[string]) =>
  Type.Object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, shape])));

test.each([
  [19, 19],
  [20, 20],
  [21, 20],
  [300, 20],
])("of %i invalid members the first %i are reported, each once", (invalidCount, reportedCount) => {
  const shape = members(invalidCount, text({ minLength: 1, pattern: "\\S" }));
  const values = Object.fromEntries(Object.keys(shape.properties).map((name) => [name, ""]));
  const pointers = violationsOf("body", shape, values)?.map(
    (violation) => "pointer" in violation && violation.pointer,
  );
  expect(pointers).toEqual(Array.from({ length: reportedCount }, (_, i) => `/m${i}`));
});

test("a member of a body is validated as JSON, and a parameter as text", () => {
  const detail = (...parameters: Parameters<typeof violationsOf>) => violationsOf(...parameters)?.[0];
  expect(detail("body", members(1, integer()), { m0: "x" })).toEqual({
    pointer: "/m0",
    code: "wrong_type",
    detail: "must be a whole number",
  });
  expect(detail("query", members(1, wholeNumberParameter({})), { m0: "1.0" })).toEqual({
    parameter: "m0",
    code: "wrong_type",
    detail: "must be a whole number in plain digits",
  });
  expect(detail("body", members(1, integer()), {})).toMatchObject({ code: "required" });
});

test("an invalid id in the path is reported without the members of the body, after the body is read", async () => {
  const { call } = await world();
  const send = async (body: string) => (await call("PATCH", "/api/v1/accounts/abc", body)).body;
  expect((await send(`{"mrr":"x","name":5}`)).errors).toEqual([
    { parameter: "accountId", code: "wrong_type", detail: "must be a whole number in plain digits" },
  ]);
  expect((await send("{")).code).toBe("malformed_json");
});
