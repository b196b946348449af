import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Document } from "../support/openapi.ts";
import { type Change, changeWorld } from "./change-world.ts";
import { recordedWorld } from "./recorded-world.ts";

const here = await changeWorld();
const document: Document = (await here.call("GET", "/docs/json", undefined, { key: null })).body;
const { schemas } = document.components;
const ajv = new Ajv2020({ strict: false }).addSchema(document, "openapi.json");
addFormats.default(ajv);
const isChange = ajv.compile({ $ref: "openapi.json#/components/schemas/Change" });

/** A change of each type that requests make. */
async function recordedChanges(): Promise<Change[]> {
  const world = await recordedWorld();
  await world.send("PATCH", "/api/v1/accounts/1", { status: "churned" });
  for (const noun of ["contact", "meeting", "request"]) {
    await world.send("PATCH", `/api/v1/${noun}s/1`, { name: "Other", title: "Other" });
    await world.send("DELETE", `/api/v1/${noun}s/1`);
  }
  await world.send("DELETE", "/api/v1/accounts/1");
  return world.changes();
}

test("each type of a change has its own schema, by the discriminator too", async () => {
  const types = ["account", "contact", "meeting", "request"].flatMap((resource) =>
    ["created", "updated", "deleted"].map((action) => `${resource}.${action}`),
  );
  const { propertyName, mapping } = schemas.Change.discriminator;
  expect([propertyName, Object.keys(mapping).toSorted()]).toEqual([
    "type",
    [...types, "account.health_changed", "health_settings.updated"].toSorted(),
  ]);
  expect(Object.values(mapping)).toEqual(schemas.Change.oneOf.map(({ $ref }: Document) => $ref));
  for (const [type, reference] of Object.entries<string>(mapping))
    expect(schemas[reference.split("/").at(-1) ?? ""].properties.type.enum).toEqual([type]);
  const recorded = await recordedChanges();
  expect([...new Set(recorded.map(({ type }) => type))].toSorted()).toEqual(types.toSorted());
});

test("a change is valid with the members of its type only", async () => {
  const [account, , contact] = await recordedChanges();
  if (account === undefined || contact === undefined) throw new Error("no changes");
  expect([account.type, contact.type]).toEqual(["account.created", "contact.created"]);
  const { id: _, ...actor } = account.actor;
  const cases: [boolean, object][] = [
    [true, account],
    [true, contact],
    [true, { ...account, actor: { type: "cli" } }],
    [false, { ...account, actor }],
    [false, { ...account, actor: { type: "robot" } }],
    [false, { ...account, type: "account.updated" }],
    [false, { ...account, type: "account.deleted" }],
    [false, { ...account, after: contact.after }],
    [false, { ...contact, after: { ...contact.after, email: 5 } }],
    [false, { ...contact, type: "contact.updated", before: { name: null } }],
  ];
  for (const [isValid, change] of cases) expect([isChange(change), change]).toEqual([isValid, change]);
});

test("the members of a create, of a delete and of the schema have one order", async () => {
  const changes = await recordedChanges();
  const side = (type: string, name: "before" | "after") =>
    Object.keys(changes.find((change) => change.type === type)?.[name] ?? {});
  for (const [resource, schema] of [
    ["account", "RecordedAccount"],
    ["contact", "Contact"],
    ["meeting", "Meeting"],
    ["request", "Request"],
  ] as const) {
    const names = Object.keys(schemas[schema].properties);
    expect(side(`${resource}.created`, "after")).toEqual(names);
    expect(side(`${resource}.deleted`, "before")).toEqual(names);
  }
  const status = ["status", "active", "churned", "updatedAt"];
  expect([side("account.updated", "before"), side("account.updated", "after")]).toEqual([status, status]);
});
