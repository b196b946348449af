import { expect, test } from "bun:test";
import { resourcesFile } from "../scripts/resources.ts";
import { generate, schemaFile } from "../scripts/schema.ts";

test("src/schema.ts and src/resources.ts are of the OpenAPI document; otherwise run `bun run build:client`", async () => {
  const { schema, resources } = await generate();
  expect((await Bun.file(schemaFile).text()) === schema).toBeTrue();
  expect((await Bun.file(resourcesFile).text()) === resources).toBeTrue();
});
