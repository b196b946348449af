import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { world } from "./support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of the document.
type Document = any;

async function read(): Promise<Document> {
  const { call } = await world();
  return (await call("GET", "/docs/json", undefined, { key: null })).body;
}

function operationsOf(document: Document): [string, Document][] {
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
      `${method} ${path}`,
      operation,
    ]),
  );
}

test("/docs/json is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(await read());
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, "3.1"]);
});

test("the validator refuses a document that is none", async () => {
  const document = await read();
  delete document.paths["/api/v1/accounts"].get.responses["200"].description;
  expect((await new Validator().validate(document)).valid).toBe(false);
});

test("the document has every route, and no other", async () => {
  const { app } = await world();
  const routes = app.routes
    .filter(({ path }) => !path.startsWith("/docs"))
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect(
    operationsOf(await read())
      .map(([name]) => name)
      .toSorted(),
  ).toEqual(routes.toSorted());
});

test("every operation has a summary, a description, a name of its own, a tag, and its errors as problems", async () => {
  const operations = operationsOf(await read());
  expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  for (const [, operation] of operations) {
    for (const member of ["summary", "description", "operationId"]) expect(operation[member]).toMatch(/\w/);
    expect(operation.tags).toHaveLength(1);
    for (const [status, reply] of Object.entries<Document>(operation.responses)) {
      expect(reply.description).toMatch(/\w/);
      expect(Object.keys(reply.content)).toEqual([
        Number(status) < 400 ? "application/json" : "application/problem+json",
      ]);
      const [content] = Object.values<Document>(reply.content);
      const shape = Number(status) < 400 ? /schemas\/\w+(Reply|Page)$/ : /schemas\/Problem$/;
      expect(content.schema.$ref).toMatch(shape);
      if (Number(status) >= 400) expect(Object.keys(content.examples).length).toBeGreaterThan(0);
      expect(reply.headers["x-request-id"]).toBeDefined();
    }
  }
});

test("every status that can occur is there", async () => {
  const document = await read();
  const statuses = (path: string, method: string) => Object.keys(document.paths[path][method].responses);
  expect(statuses("/api/v1/accounts", "get")).toEqual(["200", "400", "401", "500", "503"]);
  expect(statuses("/api/v1/accounts", "post")).toEqual([
    "201",
    "400",
    "401",
    "409",
    "413",
    "415",
    "500",
    "503",
  ]);
  expect(statuses("/api/v1/accounts/{accountId}", "get")).toEqual(["200", "400", "401", "404", "500", "503"]);
  expect(statuses("/api/v1/accounts/{accountId}", "patch")).toEqual([
    "200",
    "400",
    "401",
    "404",
    "409",
    "413",
    "415",
    "500",
    "503",
  ]);
});

test("parameters have their defaults and bounds", async () => {
  const { parameters } = (await read()).paths["/api/v1/accounts"].get;
  const shapes = Object.fromEntries(parameters.map((one: Document) => [one.name, one]));
  expect(Object.keys(shapes)).toEqual([
    "page",
    "pageSize",
    "search",
    "externalId",
    "status",
    "sortBy",
    "sortOrder",
  ]);
  expect(shapes.page.schema).toMatchObject({ type: "integer", minimum: 1, default: 1 });
  expect(shapes.pageSize.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 100, default: 25 });
  expect(shapes.status.schema.enum).toEqual(["active", "onboarding", "churned", "inactive"]);
  expect(shapes.sortBy.schema).toMatchObject({
    enum: ["name", "mrr", "createdAt", "updatedAt"],
    default: "name",
  });
  expect(shapes.sortOrder.schema).toMatchObject({ enum: ["asc", "desc"], default: "asc" });
  expect(parameters.every((one: Document) => one.in === "query" && one.required === false)).toBe(true);
});

test("request and response shapes are named components, and bodies are JSON alone, with an example", async () => {
  const document = await read();
  const names = Object.keys(document.components.schemas);
  for (const name of [
    "Account",
    "ListedAccount",
    "CreatedAccount",
    "UpdatedAccount",
    "AccountPage",
    "NewAccount",
    "AccountChanges",
    "Contact",
    "Meeting",
    "Request",
    "Pagination",
    "Problem",
    "Violation",
    "Health",
  ])
    expect(names).toContain(name);
  for (const [name, operation] of operationsOf(document)) {
    if (!/^(post|patch) /.test(name)) continue;
    expect(Object.keys(operation.requestBody.content)).toEqual(["application/json"]);
    const { $ref } = operation.requestBody.content["application/json"].schema;
    expect(document.components.schemas[$ref.split("/").at(-1)].examples).toHaveLength(1);
  }
  expect(JSON.stringify(document)).not.toMatch(/\$id|noValidate|"strict"|multipart/);
});

test("the security scheme is the key in x-api-key, bearer or basic; health needs none", async () => {
  const document = await read();
  expect(document.components.securitySchemes).toMatchObject({
    apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    bearer: { type: "http", scheme: "bearer" },
    basic: { type: "http", scheme: "basic" },
  });
  expect(document.security).toEqual([{ apiKey: [] }, { bearer: [] }, { basic: [] }]);
  expect(document.paths["/livez"].get.security).toEqual([]);
  expect(document.paths["/api/v1/accounts"].get.security).toBeUndefined();
});

test("the examples of request bodies are accepted as they stand", async () => {
  const { call } = await world();
  const { NewAccount, AccountChanges } = (await read()).components.schemas;
  expect((await call("POST", "/api/v1/accounts", NewAccount.examples[0])).status).toBe(201);
  expect(
    (
      await call("PATCH", "/api/v1/accounts/1", {
        ...AccountChanges.examples[0],
        contactActivityAt: "2026-01-01",
      })
    ).status,
  ).toBe(200);
});

test("/docs is a page served wholly from here, under a strict content-security-policy", async () => {
  const { app } = await world();
  const get = (path: string) => app.fetch(new Request(`http://localhost${path}`));
  const page = await get("/docs");
  const html = await page.text();
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(html).not.toMatch(/https?:|\/\//);
  const assets = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => path);
  expect(assets).toHaveLength(3);
  for (const path of assets) {
    const asset = await get(`/${path}`);
    expect([asset.status, asset.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    expect((await asset.text()).length).toBeGreaterThan(50);
  }
  for (const path of ["nope", "..", "%2e%2e", "constructor"])
    expect((await get(`/docs/assets/${path}`)).status).toBe(404);
});
