import { expect, test } from "bun:test";
import { type TSchema, Type } from "@sinclair/typebox";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Elysia } from "elysia";
import { openApiDocument } from "../../src/http/openapi/openapi.ts";
import { dataOf, integer, text } from "../../src/http/validation/shapes.ts";
import { type Document, withoutReferences } from "../support/openapi.ts";
import { world } from "../support/world.ts";

const document: Document = (await (await world()).call("GET", "/docs/json", undefined, { key: null })).body;
const schemas = Object.entries<Document>(document.components.schemas);

const shapeWith = (id: TSchema, more = {}): TSchema =>
  dataOf(Type.Object({ id }, { $id: "Thing", ...more }), "ThingReply");
const documentOf = (...replies: TSchema[]) =>
  openApiDocument(
    undefined,
    ...replies.map((reply, index) => new Elysia().get(`/${index}`, () => "", { response: { 200: reply } })),
  );

test("two equal schemas with the same $id are one component", () => {
  const made: Document = documentOf(shapeWith(integer()), shapeWith(integer()));
  expect(Object.keys(made.components.schemas)).toEqual(["Thing", "ThingReply"]);
});

test.each([
  ["the type of a member", shapeWith(integer()), shapeWith(text())],
  ["a rule", shapeWith(integer({ minimum: 0 })), shapeWith(integer({ minimum: 1 }))],
  ["a description", shapeWith(integer()), shapeWith(integer(), { description: "A thing" })],
])("two schemas with the same $id that differ in %s make the document fail", (_, first, second) => {
  expect(() => documentOf(first, second)).toThrow("Two schemas that differ have the $id Thing.");
});

test("no schema has two names", () => {
  const names = Map.groupBy(schemas, ([, schema]) => JSON.stringify(schema));
  expect([...names.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test("every example of a schema, a member and a parameter is valid", () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "openapi.json");
  let checked = 0;
  for (const [pointer, schema] of withExamples("", document)) {
    const check = ajv.compile({ $ref: `openapi.json#${pointer}` });
    for (const example of schema.examples) {
      expect([pointer, check(example), check.errors]).toEqual([pointer, true, null]);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(100);
});

test("every member of a reply has an example", () => {
  const silent = schemas.flatMap(([name, { properties = {} }]) =>
    /^(New\w+|\w+Changes|\w+Put|\w+Upsert|Event|LastSeen|Segment\w+|Problem|Violation)$/.test(name)
      ? []
      : Object.entries<Document>(properties)
          .filter(([, { $ref, anyOf, items, properties, examples, enum: words, type }]) => {
            return !($ref || anyOf || items || properties || examples || words || type === "null");
          })
          .map(([member]) => `${name}.${member}`),
  );
  expect(silent).toEqual([]);
});

test("no member of a request body has a default: generated clients would require it", () => {
  const bodies = Object.values<Document>(document.paths).flatMap((methods) =>
    Object.values<Document>(methods).flatMap(({ requestBody }) => requestBody ?? []),
  );
  expect(bodies.length).toBeGreaterThanOrEqual(11);
  const shapes = bodies.map(({ content }) => content["application/json"].schema.$ref.split("/").at(-1));
  for (const name of [...shapes, "Event", "EventBatch", "SegmentBatch", "SegmentCall", "LastSeen"])
    expect([name, JSON.stringify(document.components.schemas[name])]).toEqual([
      name,
      expect.not.stringContaining('"default":'),
    ]);
});

test("every member of an event that accepts null is documented as nullable", async () => {
  const { call, account } = await world();
  const { id: accountId } = await account({ name: "Acme", externalId: "acme" });
  const event = { event: "e", externalId: "acme", accountId };
  const track = { type: "track", event: "e", groupId: "acme" };
  const accepts = async (path: string, body: Document) =>
    (await call("POST", path, body)).body.data?.accepted === 1;
  for (const [schema, accepted] of [
    ["Event", (none: Document) => accepts("/api/v1/events", { ...event, ...none })],
    ["SegmentCall", (none: Document) => accepts("/v1/batch", { batch: [{ ...track, ...none }] })],
  ] as const)
    for (const [name, { type }] of Object.entries<Document>(document.components.schemas[schema].properties))
      expect([schema, name, [type].flat().includes("null")]).toEqual([
        schema,
        name,
        await accepted({ [name]: null }),
      ]);
});

test("every parameter has a description", () => {
  for (const methods of Object.values<Document>(withoutReferences(document).paths))
    for (const { operationId, parameters = [] } of Object.values<Document>(methods))
      for (const { name, description } of parameters)
        expect([operationId, name, description]).toEqual([operationId, name, expect.stringMatching(/\w/)]);
});

/** The schemas with examples in a value, by JSON pointer, without the replies of problems, whose examples differ in form. */
function withExamples(pointer: string, value: Document): [string, Document][] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries<Document>(value)
    .filter(([name]) => name !== "examples")
    .flatMap(([name, member]) => withExamples(`${pointer}/${escaped(name)}`, member));
  return Array.isArray(value.examples) ? [[pointer, value], ...below] : below;
}

function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
