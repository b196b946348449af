import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { requiredScope } from "../../src/http/guard/required-scope.ts";
import { type Document, withoutReferences } from "../support/openapi.ts";
import { world } from "../support/world.ts";
import { rulesWith } from "../webhooks/receiver.ts";

const source: Document = (await (await world()).call("GET", "/docs/json", undefined, { key: null })).body;
const document = withoutReferences(source);
const operations = Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Document>(methods).map(([method, operation]): [string, Document] => [
    `${method} ${path}`,
    operation,
  ]),
);

test("/docs/json is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(source));
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, "3.1"]);
});

test("the document has exactly the routes of the app", async () => {
  const { app } = await world();
  const routes = app.routes
    .filter(({ path }) => path !== "/" && !/^\/(?:docs|console|llms)/.test(path))
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`);
  expect(operations.map(([name]) => name).toSorted()).toEqual(routes.toSorted());
});

/** The media types of replies with other schemas, which a parameter selects. */
const formats: Record<string, string[]> = { listChanges: ["application/cloudevents-batch+json"] };

/** The media types of the replies that are no JSON. */
const streams: Record<string, string[]> = {
  exportAccountsAsCsv: ["text/csv; charset=utf-8"],
  exportAccountsAsJsonLines: ["application/jsonl", "application/x-ndjson"],
  exportEventsAsJsonLines: ["application/jsonl", "application/x-ndjson"],
  streamChanges: ["text/event-stream"],
};

test("every operation has a summary, a description, a unique operationId, a tag, and its errors as problems", () => {
  const tags = document.tags.map(({ name }: { name: string }) => name);
  expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  for (const [name, operation] of operations) {
    const scope = operation["x-required-scope"];
    const ofScope = scope === "any" ? [] : ["403"];
    const always = ["400", "500", ...(scope ? ["401", ...ofScope, "429", "503"] : [])];
    expect([name, ...Object.keys(operation.responses)]).toEqual(expect.arrayContaining(always));
    for (const member of ["summary", "description", "operationId"]) expect(operation[member]).toMatch(/\w/);
    expect(operation.tags).toHaveLength(1);
    expect(tags).toContain(operation.tags[0]);
    for (const [status, reply] of Object.entries<Document>(operation.responses)) {
      expect(reply.description).toMatch(/\w/);
      expect(reply.headers["x-request-id"]).toBeDefined();
      if (status === "204" || status === "304") continue;
      const success = streams[operation.operationId] ?? ["application/json"];
      const formatted = formats[operation.operationId] ?? [];
      expect(Object.keys(reply.content)).toEqual(
        Number(status) < 400 ? [...success, ...formatted] : ["application/problem+json"],
      );
      const [content, ...others] = Object.entries<Document>(reply.content).flatMap(([type, media]) =>
        formatted.includes(type) ? [] : [media],
      );
      expect(others).toEqual(others.map(() => content));
      const shape = Number(status) < 400 ? /schemas\/\w+(Reply|Page|Feed|History)$/ : /schemas\/Problem$/;
      expect(content.schema.$ref).toMatch(shape);
      if (Number(status) >= 400) expect(Object.keys(content.examples).length).toBeGreaterThan(0);
    }
  }
});

test("the texts of the document use one term for each thing", () => {
  const texts = JSON.stringify(source).match(/(?<="(?:summary|description)":)"(?:[^"\\]|\\.)*"/g) ?? [];
  expect(texts.length).toBeGreaterThan(300);
  // Events are pending (`parked` is the member of a receipt), changes are in a feed.
  expect(texts.filter((text) => /\bpark(?:s|ed|ing)?\b|\bchange log\b/i.test(text))).toEqual([]);
  // True only while no row is added or deleted.
  expect(
    texts.filter((text) => /so pages do not overlap(?! while the data does not change)/.test(text)),
  ).toEqual([]);
});

/** The operationId, the names of the schemas of the body and of the success, and the statuses. */

function shapeOf(holder: Document): string | undefined {
  return holder?.content?.["application/json"].schema.$ref.split("/").at(-1);
}

/** Whether a parameter is one of a filter with operators. */
function isField(name: string): boolean {
  return /\.\w+$|^(mrr|severity|healthScore|\w+At|tier|hasExternalId)$/.test(name);
}

test("the operators of filters are parameters of their own, and lists are separated by commas", () => {
  const { parameters } = document.paths["/api/v1/accounts"].get;
  const shapes = Object.fromEntries(parameters.map((parameter: Document) => [parameter.name, parameter]));
  const names = ["mrr", "mrr.gt", "mrr.gte", "mrr.lt", "mrr.lte", "mrr.in"];
  expect(Object.keys(shapes).filter((name) => /^mrr/.test(name))).toEqual(names);
  expect(shapes["mrr.gt"]).toMatchObject({
    in: "query",
    schema: { type: "number" },
  });
  for (const name of ["mrr.in", "externalId.in", "tier"])
    expect([name, shapes[name].style, shapes[name].explode]).toEqual([name, "form", false]);
  expect(shapes["mrr.in"].schema).toMatchObject({ type: "array", items: { type: "number" }, maxItems: 100 });
  const none = { $ref: "#/components/schemas/NoValue" };
  expect(shapes.healthScore.schema.anyOf).toEqual([{ type: "number", examples: [50] }, none]);
});

test("parameters have their defaults and bounds", () => {
  const { parameters } = document.paths["/api/v1/accounts"].get;
  const shapes = Object.fromEntries(parameters.map((parameter: Document) => [parameter.name, parameter]));
  expect(Object.keys(shapes).filter((name) => !isField(name))).toEqual([
    "page",
    "pageSize",
    "cursor",
    "search",
    "externalId",
    "status",
    "sortBy",
    "sortOrder",
    "attributes",
    "include",
    "fields",
  ]);
  expect(shapes.page.schema).toMatchObject({ type: "integer", minimum: 1 });
  expect(shapes.pageSize.schema).toMatchObject({ type: "integer", minimum: 1, maximum: 100 });
  const status = { $ref: "#/components/schemas/AccountStatus" };
  expect(shapes.status).toMatchObject({ style: "form", explode: false });
  expect(shapes.status.schema).toMatchObject({ type: "array", items: status, maxItems: 100 });
  expect(shapes.sortBy.schema).toMatchObject({
    anyOf: [
      { enum: ["name", "mrr", "contactActivityAt", "createdAt", "updatedAt", "healthScore"] },
      { pattern: "^attributes\\.[A-Za-z][A-Za-z0-9_]{0,63}$" },
    ],
    default: "name",
  });
  expect(shapes.sortOrder.schema).toMatchObject({ enum: ["asc", "desc"], default: "asc" });
  expect(parameters.every((parameter: Document) => parameter.in === "query" && !parameter.required)).toBe(
    true,
  );
});

const webhook = "post /api/v1/webhooks/{webhookId}";
const withoutBody = new Set([
  `${webhook}/rotate`,
  `${webhook}/test`,
  `${webhook}/deliveries/{deliveryId}/retry`,
]);

test("request and response schemas are named components; bodies are JSON only, with an example", () => {
  const nouns = ["Contact", "Meeting", "Request"];
  const forms = (name: string) => [name, `Account${name}`, `${name}Page`, `New${name}`, `${name}Changes`];
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      ...["Account", "ListedAccount", "CreatedAccount", "UpdatedAccount"],
      ...["AccountPage", "NewAccount", "AccountChanges"],
      ...nouns.flatMap((name) => [...forms(name), `${name}Reply`, `${name}Put`]),
      ...["Pagination", "Problem", "Violation"],
    ]),
  );
  for (const [name, { requestBody }] of operations) {
    const hasBody = /^(post|put|patch) /.test(name) && !withoutBody.has(name);
    expect([name, requestBody !== undefined]).toEqual([name, hasBody]);
    if (!requestBody) continue;
    expect(Object.keys(requestBody.content)).toEqual(["application/json"]);
    expect(document.components.schemas[shapeOf(requestBody) ?? ""].examples).toHaveLength(1);
  }
  // An order of deliveries is called as the parser.
  const text = JSON.stringify(source).replace('["account","strict"]', "");
  expect(text).not.toMatch(/\$id|noValidate|"strict"|multipart/);
});

test("the security schemes are x-api-key, bearer and basic, with the scope of the operation; probes have none", async () => {
  expect(document.components.securitySchemes).toMatchObject({
    apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
    bearer: { type: "http", scheme: "bearer" },
    basic: { type: "http", scheme: "basic" },
  });
  expect(document.security).toEqual([{ apiKey: [] }, { bearer: [] }, { basic: [] }]);
  const { app } = await world();
  for (const [name, { security, description, "x-required-scope": scope }] of operations) {
    const [method = "", path = ""] = name.split(" ");
    const route = app.routes.find(
      (candidate) =>
        candidate.method.toLowerCase() === method && candidate.path.replace(/:(\w+)/g, "{$1}") === path,
    );
    expect([name, scope]).toEqual([name, requiredScope(route?.hooks.detail)]);
    if (/^\/(livez|readyz)$/.test(path)) expect([name, security, scope]).toEqual([name, [], undefined]);
    else {
      expect([...scopes, "any"]).toContain(scope);
      // The `security` of the document applies.
      expect([name, security]).toEqual([name, undefined]);
      const needed = scope === "any" ? "any scope" : `the scope \`${scope}\``;
      expect(description).toEndWith(` Needs ${needed}.`);
    }
  }
});

test("the example of the media type of every request body is accepted", async () => {
  const sending = operations.filter(([, { requestBody }]) => requestBody);
  expect(sending.length).toBeGreaterThanOrEqual(11);
  for (const [name, { requestBody }] of sending) {
    const { properties } = document.components.schemas[shapeOf(requestBody) ?? ""];
    const { example } = requestBody.content["application/json"];
    const unknown = Object.keys(example).filter((member) => properties && !Object.hasOwn(properties, member));
    const { status } = await sendTo(name, example);
    expect([name, unknown, Math.floor(status / 100)]).toEqual([name, [], 2]);
  }
});

/** Sends a body to an operation such as `patch /api/v1/meetings/{meetingId}` in a world with one row of each resource. */
async function sendTo(name: string, body: unknown) {
  const { call, account } = await world({ webhookRules: rulesWith({}) });
  const [method = "", path = ""] = name.split(" ");
  const { id } = await account({
    name: "Acme",
    externalId: path === "/api/v1/accounts" ? "other" : "acme",
  });
  await account({ name: "Mine", externalId: "mine" });
  const moments = { startAt: "2026-01-01", endAt: "2026-01-01" };
  for (const list of ["contacts", "meetings", "requests"])
    await call("POST", `/api/v1/accounts/${id}/${list}`, { name: "Ada", title: "Review", ...moments });
  // The first webhook has the id of the first account.
  if (path.includes("{webhookId}")) await call("POST", "/api/v1/webhooks", { url: "https://example.com/" });
  const address = path
    .replace("{externalId}", "mine")
    .replace("{name}", "plan")
    .replace(/\{\w+Id\}/, id);
  return call(method.toUpperCase(), address, body);
}
