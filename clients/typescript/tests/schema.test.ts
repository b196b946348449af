import { expect, test } from "bun:test";
import { generateSchema, schemaFile } from "../scripts/schema.ts";

test("src/schema.ts has the types of the OpenAPI document; otherwise run `bun run build:client`", async () => {
  expect((await Bun.file(schemaFile).text()) === (await generateSchema())).toBeTrue();
});
