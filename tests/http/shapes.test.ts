import { expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { accounts } from "../../db/schema.ts";
import type { ListSchema } from "../../src/core/lists/definition.ts";
import { listQuerySchema, pageParameters } from "../../src/http/validation/list-shapes.ts";
import {
  accountReference,
  externalIdParameter,
  idParameter,
  text,
} from "../../src/http/validation/shapes.ts";

const { accountId, accountExternalId } = accountReference;
const most = Number.MAX_SAFE_INTEGER;
const [short, long, tooLong] = ["x", "é".repeat(255), "é".repeat(256)];

const edges: [string, TSchema, unknown[], unknown[]][] = [
  ["a title", text({ minLength: 1, maxLength: 255, pattern: "\\S" }), [short, long], ["", " ", tooLong]],
  ["an account's id", accountId, [0, 1, most], [-1, 1.5, most + 1, "1"]],
  ["an account's externalId", accountExternalId, [short, " ", long], ["", tooLong, 1]],
  ["an id in a path", idParameter(""), ["0", "1", String(most)], ["-1", "01", "1.0", "9007199254740992", ""]],
  ["an externalId in a path", externalIdParameter(""), [short, long], ["", tooLong]],
  ["a page's number", pageParameters.page, ["1", String(most)], ["0", "", "x", "9007199254740992"]],
  ["a page's size", pageParameters.pageSize, ["1", "100"], ["0", "101", "1e1"]],
];

test.each(edges)("%s is accepted up to its limits, and not beyond", (_, shape, valid, invalid) => {
  const check = TypeCompiler.Compile(shape);
  for (const value of valid) expect([value, check.Check(value)]).toEqual([value, true]);
  for (const value of invalid) expect([value, check.Check(value)]).toEqual([value, false]);
});

test("the default order of a list is the default of its query parameters", () => {
  const list: ListSchema<"name" | "mrr"> = {
    sortBy: { name: accounts.name, mrr: accounts.mrr },
    filters: {},
    defaultOrder: ["mrr", "desc"],
  };
  expect(Value.Default(listQuerySchema(list, {}), {})).toEqual({
    sortBy: "mrr",
    sortOrder: "desc",
  });
});
