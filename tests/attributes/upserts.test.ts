import { expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { accounts, attributeWorld, resources } from "./attribute-world.ts";

test("an upsert of accounts stores the attributes of accounts and contacts; a conflict fails one account", async () => {
  const { send, call, stored, faults } = await attributeWorld(resources[0]);
  const upsert = (accounts: Body[]) => call("POST", "/api/v1/accounts/batch", { accounts });
  const { data } = (
    await upsert([
      {
        externalId: "one",
        name: "One",
        attributes: { plan: "pro" },
        contacts: [{ email: "a@x.io", name: "A", attributes: { role: "CTO" } }],
      },
      { externalId: "two", name: "Two", attributes: { plan: 5 } },
      {
        externalId: "three",
        name: "Three",
        attributes: { plan: "team" },
        contacts: [{ email: "b@x.io", name: "B", attributes: { role: 5 } }],
      },
      { externalId: "four", name: "Four", attributes: { "no name": 1 } },
    ])
  ).body;
  expect(data.results).toMatchObject([
    { result: "created" },
    { result: "failed", problem: { errors: [{ pointer: "/accounts/1/attributes/plan" }] } },
    { result: "failed", problem: { errors: [{ pointer: "/accounts/2/contacts/0/attributes/role" }] } },
    { result: "failed", problem: { errors: [{ pointer: "/accounts/3/attributes" }] } },
  ]);
  expect((await stored()).names).toEqual(["account plan string 1", "contact role string 1"]);
  const again = {
    externalId: "one",
    attributes: { plan: "pro" },
    contacts: [{ email: "a@x.io", attributes: {} }],
  };
  expect((await upsert([again])).body.data).toMatchObject({ unchanged: 1 });
  expect((await send("GET", "/api/v1/accounts/external/one?fields=attributes")).attributes).toEqual({
    plan: "pro",
  });
  expect(await faults(0)).toEqual([]);
});

test("names that only a failed account of an upsert has get another type in the next one", async () => {
  const { call, stored, faults } = await attributeWorld(resources[0]);
  await call("POST", accounts, { name: "First", externalId: "first", attributes: { old: 1 } });
  const twins = ["role", "level", "role", "role"].map((attribute, i) => ({
    ...{ externalId: `${i}`, name: "A", email: `${i % 3}@x.io` },
    attributes: { [attribute]: "text" },
  }));
  const other = { externalId: "other", name: "B", attributes: { role: 5 } };
  const upserts = [
    { externalId: "one", attributes: { plan: "pro" } },
    // Its last contact conflicts after its attributes are counted.
    { externalId: "failed", attributes: { plan: "pro", size: "XL", seats: "many" }, contacts: twins },
    { externalId: "employer", contacts: [other] },
    { externalId: "two", attributes: { seats: 5, size: true } },
    { externalId: "three", attributes: { seats: "five" } },
    { externalId: "first", attributes: { old: "text" } },
    { externalId: "four", attributes: { old: "text", seats: 6 } },
    { externalId: "five", attributes: { old: 2 } },
  ];
  const body = { accounts: upserts.map((upsert) => ({ name: "Name", ...upsert })) };
  const { results } = (await call("POST", `${accounts}/batch`, body)).body.data;
  expect(results.map(({ result }: Body) => result)).toEqual([
    "created",
    "failed",
    "created",
    "created",
    "failed",
    "updated",
    "created",
    "failed",
  ]);
  expect((await stored()).names).toEqual([
    "account old string 2",
    "account plan string 1",
    "account seats number 2",
    "account size boolean 1",
    "contact role number 1",
  ]);
  expect(await faults(0)).toEqual([]);
});
