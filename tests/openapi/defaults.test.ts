import { expect, test } from "bun:test";
import { type Document, withoutReferences } from "../support/openapi.ts";
import { world } from "../support/world.ts";

type Parameter = { name: string; in: string; schema: { default?: unknown } };

test("a read has the same reply with every default of the document sent, by page and by cursor", async () => {
  const { call, account } = await world();
  const { id } = await account({ name: "Acme", externalId: "acme" });
  await account({ name: "Bolt" });
  for (const name of ["Ada", "Bob"])
    expect((await call("POST", `/api/v1/accounts/${id}/contacts`, { name })).status).toBe(201);
  const document: Document = (await call("GET", "/docs/json", undefined, { key: null })).body;
  let compared = 0;
  for (const [path, { get }] of Object.entries<Document>(withoutReferences(document).paths)) {
    const address = path.replace("{accountId}", String(id)).replace("{externalId}", "acme");
    const parameters: Parameter[] = (get?.parameters ?? []).filter((each: Parameter) => each.in === "query");
    const defaults = Object.fromEntries(
      parameters
        .filter(({ schema }) => schema.default !== undefined)
        .map(({ name, schema }) => [name, String(schema.default)]),
    );
    if (Object.keys(defaults).length === 0 || address.includes("{")) continue;
    const hasCursor = parameters.some(({ name }) => name === "cursor");
    for (const first of hasCursor ? [{}, { cursor: "" }] : [{}]) {
      const expected = await call("GET", `${address}?${new URLSearchParams({ ...first })}`);
      const query = String(new URLSearchParams({ ...first, ...defaults }));
      const reply = await call("GET", `${address}?${query}`);
      expect([address, query, reply.status, reply.text]).toEqual([address, query, 200, expected.text]);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(20);
});
