import { expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { Document } from "../support/openapi.ts";
import { world } from "../support/world.ts";

const { call } = await world();
const get = (query: string) => call("GET", `/docs/json${query}`, undefined, { key: null });
const whole: Document = (await get("")).body;

function operationsOf({ paths }: Document): Document[] {
  return Object.values<Document>(paths).flatMap((methods) => Object.values<Document>(methods));
}
const idsOf = (document: Document) => operationsOf(document).map(({ operationId }) => operationId);
const idsOfTags = (...tags: string[]) =>
  operationsOf(whole).flatMap(({ operationId, tags: [tag] }) => (tags.includes(tag) ? [operationId] : []));

/** The names of all components, such as `schemas/Account`, and those that the document references. */
function componentsOf(document: Document): [defined: string[], referenced: string[]] {
  const defined = Object.entries<Document>(document.components).flatMap(([section, values]) =>
    section === "securitySchemes" ? [] : Object.keys(values).map((name) => `${section}/${name}`),
  );
  const references = JSON.stringify(document).matchAll(/"#\/components\/(\w+\/\w+)"/g);
  return [defined.toSorted(), [...new Set(Array.from(references, ([, name = ""]) => name))].toSorted()];
}

const tagNames: string[] = whole.tags.map(({ name }: Document) => name);
const segmentCalls = idsOfTags("Segment");

test.each([
  ...tagNames.map((name) => [`?tag=${name}`, idsOfTags(name)] as const),
  ["?tag=Keys,Health", idsOfTags("Keys", "Health")],
  ["?tag=Keys&tag=Health", idsOfTags("Keys", "Health")],
  ["?tag[]=Keys&tag%5B%5D=Health", idsOfTags("Keys", "Health")],
  ["?operations[0]=runBatch&operations[1]=sendEvents", ["sendEvents", "runBatch"]],
  ["?operations=runBatch%2CsendEvents", ["sendEvents", "runBatch"]],
  ["?tag=Probes&operations=getMe&operations=listAccounts", ["listAccounts", "getMe", ...idsOfTags("Probes")]],
])("/docs/json%s is a valid document of these operations and of what they reference", async (query, ids) => {
  const { status, body } = await get(query);
  expect([status, idsOf(body)]).toEqual([200, ids]);
  const { errors, valid } = await new Validator().validate(structuredClone(body));
  expect([errors ?? [], valid]).toEqual([[], true]);
  const [defined, referenced] = componentsOf(body);
  expect(defined).toEqual(referenced);
  const used = new Set(operationsOf(body).flatMap(({ tags }) => tags));
  expect(body.tags).toEqual(whole.tags.filter(({ name }: Document) => used.has(name)));
  const { openapi, info, servers, security, components } = whole;
  expect(body).toMatchObject({ openapi, info, servers, security });
  expect(body.components.securitySchemes).toEqual(components.securitySchemes);
  for (const name of defined) {
    const [section = "", key = ""] = name.split("/");
    expect(body.components[section][key]).toEqual(components[section][key]);
  }
});

test.each([
  ["?tag=accounts", "tag", tagNames],
  ["?tag=Accounts,&operations=getMe", "tag", tagNames],
  ["?tag=Accounts&operations=nope", "operations", idsOf(whole)],
  ["?operations=", "operations", idsOf(whole)],
])("/docs/json%s is 400 with the valid names", async (query, parameter, names) => {
  const { status, body } = await get(query);
  const detail = `must be one of ${names.join(", ")}`;
  expect([status, body.errors]).toEqual([400, [{ parameter, code: "not_allowed", detail }]]);
});

test("the Segment calls have a tag of their own, and are no tools of agents", () => {
  const ofSegment = Object.entries<Document>(whole.paths).flatMap(([path, methods]) =>
    path.startsWith("/v1/") ? [methods.post.operationId] : [],
  );
  expect(ofSegment).toHaveLength(15);
  expect(segmentCalls).toEqual(ofSegment);
  const hidden = operationsOf(whole).filter((operation) => "x-mcp" in operation);
  expect(hidden.map(({ operationId, "x-mcp": isTool }) => [operationId, isTool])).toEqual(
    segmentCalls.map((id: string) => [id, false]),
  );
});
