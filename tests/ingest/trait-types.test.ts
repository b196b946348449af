import { expect, test } from "bun:test";
import { identify, traitsWorld } from "./traits-world.ts";

test("a pending trait of another type than an attribute of the same batch is ignored", async () => {
  const { batch, call } = await traitsWorld();
  await batch(identify("u1", { name: "Bob", email: "bob@b.example", seats: 5 }, "beta"));
  const contacts = "/api/v1/accounts/1/contacts";
  const operations = [
    { method: "POST", path: contacts, body: { name: "A", attributes: { seats: "x" } } },
    { method: "POST", path: contacts, body: { name: "B", attributes: { seats: "y" } } },
    { method: "POST", path: "/api/v1/accounts", body: { name: "Beta", externalId: "beta" } },
  ];
  const { body } = await call("POST", "/api/v1/batch", { mode: "partial", operations });
  expect([body.data.succeeded, body.data.failed]).toEqual([3, 0]);
  const { data } = (await call("GET", "/api/v1/contacts?sortBy=name&sortOrder=asc")).body;
  expect(
    data.map(({ name, attributes }: { name: string; attributes: object }) => [name, attributes]),
  ).toEqual([
    ["A", { seats: "x" }],
    ["B", { seats: "y" }],
    ["Bob", {}],
  ]);
});
