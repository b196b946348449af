import { expect, test } from "bun:test";
import { checkReply } from "../support/contract.ts";
import { type Reply, world } from "../support/world.ts";

const path = "/api/v1/accounts";

async function replies() {
  const { app, call } = await world();
  const check = (method: string, at: string, reply: Reply) => checkReply(app, method, at, reply);
  return { check, list: await call("GET", path), refused: await call("GET", `${path}?page=0`) };
}

test("a reply that matches the document passes", async () => {
  const { check, list, refused } = await replies();
  await check("GET", path, list);
  await check("GET", path, refused);
});

test("a reply fails if its status, media type, schema or code is not in the document", async () => {
  const { check, list, refused } = await replies();
  const altered: [string, Reply, RegExp][] = [
    ["a status", { ...list, status: 202 }, /no such status/],
    ["a status of a problem", { ...refused, status: 409 }, /no such status/],
    ["a media type", { ...list, headers: new Headers({ "content-type": "text/plain" }) }, /no text\/plain/],
    ["a problem as JSON", { ...refused, headers: list.headers }, /no application\/json/],
    ["a member", { ...list, body: { ...list.body, pagination: {} } }, /must have required property/],
    ["a member of a problem", { ...refused, body: { ...refused.body, title: 1 } }, /must be string/],
    ["a code", { ...refused, body: { ...refused.body, code: "no_valid_fields" } }, /no no_valid_fields/],
    [
      "the code of a violation",
      { ...refused, body: { ...refused.body, errors: [{ parameter: "page", code: "odd", detail: "x" }] } },
      /must be equal to one of the allowed values/,
    ],
  ];
  for (const [name, reply, message] of altered) {
    const fault = await check("GET", path, reply).then(
      () => "taken",
      (error: Error) => error.message,
    );
    expect([name, fault]).toEqual([name, expect.stringMatching(message)]);
  }
});

test("a reply for a path or a method that is not in the document must be 400, 404 or 405", async () => {
  const { check, list, refused } = await replies();
  await expect(check("GET", "/nowhere", list)).rejects.toThrow("is not in the document");
  await expect(check("DELETE", path, list)).rejects.toThrow("is not in the document");
  await check("DELETE", path, refused);
});

test("with fields, a reply fails unless its rows have the selected members, id and no others", async () => {
  const { app, call } = await world();
  const at = `${path}?fields=name`;
  const { body: made, ...rest } = await call("POST", at, { name: "Acme" });
  const { id, name } = made.data;
  const check = (data: object) => checkReply(app, "POST", at, { ...rest, body: { data } });
  await check({ id, name });
  await expect(check({ id })).rejects.toThrow("must have required property 'name'");
  await expect(check({ name })).rejects.toThrow("must have required property 'id'");
  await expect(check({ id, name, mrr: 0 })).rejects.toThrow("has mrr, which fields does not select");
});
