import { expect, test } from "bun:test";
import { Components } from "../../src/http/openapi/components.ts";
import { type Document, withoutReferences } from "../support/openapi.ts";
import { world } from "../support/world.ts";

const document: Document = (await (await world()).call("GET", "/docs/json", undefined, { key: null })).body;
const operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
    `${method} ${path}`,
    operation,
  ]),
);
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("the document has at most 3,200 bytes per operation on average, and for each but one", () => {
  expect(bytesOf(document) / operations.length).toBeLessThanOrEqual(3_200);
  const large = operations.filter(([, operation]) => bytesOf(operation) > 3_200);
  // The references to its 30 filters have 2,150 bytes.
  expect(large.map(([name]) => name)).toEqual(["get /api/v1/accounts"]);
  expect(bytesOf(large[0]?.[1])).toBeLessThanOrEqual(4_000);
});

test("every problem and every repeated success is a shared response", () => {
  const own = operations.flatMap(([, { responses }]) =>
    Object.entries<Document>(responses).flatMap(([status, reply]) => (reply.$ref ? [] : [[status, reply]])),
  );
  expect(own.filter(([status]) => Number(status) >= 400)).toEqual([]);
  expect(new Set(own.map((reply) => JSON.stringify(reply))).size).toBe(own.length);
});

test("no shared response or parameter has two names, and every parameter is shared", () => {
  const { responses, parameters } = document.components;
  for (const values of [responses, parameters]) {
    const texts = Object.values(values).map((value) => JSON.stringify(value));
    expect(new Set(texts).size).toBe(texts.length);
  }
  const ofOperations = operations.flatMap(([, operation]) => operation.parameters ?? []);
  expect(ofOperations.length).toBeGreaterThan(100);
  expect(ofOperations.filter((parameter) => !parameter.$ref)).toEqual([]);
});

test("exactly the operations under /api with a body have the Prefer header", () => {
  for (const [name, operation] of Object.entries<Document>(withoutReferences(document).paths).flatMap(
    ([path, methods]) =>
      Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
        `${method} ${path}`,
        operation,
      ]),
  )) {
    const takes = operation.requestBody !== undefined && name.includes(" /api/");
    const names = (operation.parameters ?? []).map((parameter: Document) => parameter.name);
    expect([name, names.includes("Prefer")]).toEqual([name, takes]);
    for (const status of ["200", "201", "400", "409"]) {
      const { headers } = operation.responses[status] ?? {};
      if (headers) expect([name, status, "preference-applied" in headers]).toEqual([name, status, takes]);
    }
  }
});

test("no path is valid for two patterns: an id has digits only", () => {
  const patterns = Object.keys(document.paths).map((path) => path.split("/"));
  const isParameter = (segment = "") => segment.startsWith("{");
  const overlaps = patterns.flatMap((pattern, index) =>
    patterns.slice(index + 1).flatMap((other) => {
      const pairs = pattern.map((segment, at) => [segment, other[at]] as const);
      const differing = pairs.filter(([a, b]) => a !== b);
      const isOverlap =
        pattern.length === other.length && differing.every(([a, b]) => isParameter(a) || isParameter(b));
      return isOverlap ? [differing.flat()] : [];
    }),
  );
  expect(overlaps.length).toBeGreaterThan(0);
  // `external` and `batch` are no account ids, which are digits: no address is valid for both patterns.
  for (const segments of overlaps) {
    const word = segments.find((segment) => segment === "external" || segment === "batch") ?? "";
    expect(segments).toContain(word);
    expect(segments[segments.indexOf(word) ^ 1]).toMatch(/^\{\w+Id\}$/);
  }
});

test("a different value with the same name gets a numbered name, and an equal value the existing name", () => {
  const components = new Components();
  const share = (value: string) => components.share("examples", "one", { value }).$ref;
  expect([share("a"), share("b"), share("a"), share("c"), share("b")]).toEqual(
    ["one", "one2", "one", "one3", "one2"].map((name) => `#/components/examples/${name}`),
  );
  expect(Object.keys(components.examples)).toEqual(["one", "one2", "one3"]);
});

test("additionalProperties: true is kept only for an object without properties", () => {
  const components = new Components();
  const open = { type: "object", additionalProperties: true };
  const properties = { a: { type: "string" } };
  expect(components.shareSchemas({ ...open, properties: {} })).toEqual({ ...open, properties: {} });
  expect(components.shareSchemas({ ...open, properties })).toEqual({ type: "object", properties });
  const closed = { type: "object", additionalProperties: false, properties };
  expect(components.shareSchemas(closed)).toEqual(closed);
});
