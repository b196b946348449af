import { expect, test } from "bun:test";
import type { Document } from "../support/openapi.ts";
import { world } from "../support/world.ts";

const document: Document = (await (await world()).call("GET", "/docs/json", undefined, { key: null })).body;
const { schemas, parameters, headers } = document.components;

/** Every object of the document with its JSON pointer, without examples, which are values of clients. */
function objectsOf(value: Document, pointer = ""): [string, Document][] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries<Document>(value)
    .filter(([name]) => name !== "examples" && name !== "example")
    .flatMap(([name, member]) => objectsOf(member, `${pointer}/${name}`));
  return Array.isArray(value) ? below : [[pointer, value], ...below];
}
const objects = objectsOf(document);
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

test("no schema has const or allOf, which several generators cannot read", () => {
  const found = objects.filter(
    ([pointer, value]) => !pointer.endsWith("/properties") && ("const" in value || "allOf" in value),
  );
  expect(found).toEqual([]);
  expect(schemas.AccountCreated.properties.type).toEqual({ enum: ["account.created"], type: "string" });
  expect(schemas.Actor.oneOf[1].properties.type.enum).toEqual(["cli"]);
});

test("every integer has the format int64", () => {
  const integers = objects.filter(([, { type }]) => [type].flat().includes("integer"));
  expect(integers.length).toBeGreaterThan(100);
  expect(integers.filter(([, { format }]) => format !== "int64")).toEqual([]);
});

test("no parameter and no header has the name of a schema or of another component", () => {
  const names = [schemas, parameters, headers].flatMap(Object.keys);
  expect(names.length).toBeGreaterThan(250);
  expect(new Set(names).size).toBe(names.length);
});

test("the enumerations of several places are components of their own", () => {
  expect(schemas).toMatchObject({
    AccountStatus: { type: "string", enum: ["active", "onboarding", "churned", "inactive"] },
    RequestStatus: { type: "string", enum: ["Open", "Planned", "Started", "Done", "Declined"] },
    HealthTier: { type: "string", enum: ["healthy", "attention", "at_risk", "critical"] },
    NoValue: { type: "string", enum: ["none"] },
    Scope: { type: "string", enum: ["read", "write", "events", "admin"] },
  });
  expect(schemas.ApiKey.properties.scopes.items).toEqual(reference("Scope"));
  expect(schemas.NewRequest.properties.status).toMatchObject(reference("RequestStatus"));
  expect(schemas.AccountChanges.properties.status).toMatchObject(reference("AccountStatus"));
  const values = objects.flatMap(([, { enum: words }]) => (words ? [JSON.stringify(words)] : []));
  const repeated = [...Map.groupBy(values, (text) => text)].filter(([, places]) => places.length > 2);
  expect(repeated).toEqual([]);
});

test("the problem of an upserted account, and the body of a failed operation in a batch, are a Problem", () => {
  expect(schemas.AccountUpsertResult.properties.problem).toEqual(reference("Problem"));
  expect(schemas.BatchResult.properties.body.anyOf).toEqual([
    reference("Problem"),
    { type: "object", properties: {}, additionalProperties: true },
    { type: "null" },
  ]);
});
