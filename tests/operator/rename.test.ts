import { expect, test } from "bun:test";
import { operatorOf } from "../support/operator.ts";
import { world } from "../support/world.ts";

test("an organization is renamed at once, keeps its id and its keys, and its old name is free", async () => {
  const here = await world();
  const { request, lines } = operatorOf(here.engine);
  const { id } = here.first;
  const name = "First";
  const rename = (organization: string, newName: string) =>
    request("/operator/organization/name", { method: "PUT", organization, body: { name: newName } });
  expect(await rename(name, "  New name ")).toEqual({ id, name: "New name" });
  expect((await here.call("GET", "/api/v1/organization")).body.data).toMatchObject({ id, name: "New name" });
  // Another case of its own name is no conflict.
  expect(await rename(String(id), "NEW NAME")).toEqual({ id, name: "NEW NAME" });
  const created = await request("/operator/organizations", { method: "POST", body: { name } });
  expect(created.name).toBe(name);
  expect(lines).toEqual([
    { event: "admin_operation", operation: "PUT /operator/organization/name" },
    { event: "admin_operation", operation: "PUT /operator/organization/name" },
    { event: "admin_operation", operation: "POST /operator/organizations" },
  ]);
});

test.each([
  ["a name in use in another case", "FIRST", "name_taken"],
  ["a blank name", " ", "invalid_name"],
  ["a number", "12", "invalid_name"],
  ["a name of two lines", "a\nb", "invalid_name"],
])("an organization is not renamed to %s", async (_, newName, code) => {
  const here = await world();
  const { request } = operatorOf(here.engine);
  const body = { name: newName };
  const organization = String(here.second.id);
  const renamed = request("/operator/organization/name", { method: "PUT", organization, body });
  expect(await renamed.catch((error) => error.code)).toBe(code);
  const listed = await request("/operator/organizations");
  expect(listed.map((row: { name: string }) => row.name)).toContain("Second");
});

test("a key is renamed, and the changes that it makes from then on have the new name", async () => {
  const here = await world();
  const { request } = operatorOf(here.engine);
  const { data: me } = (await here.call("GET", "/api/v1/me")).body;
  const path = `/operator/keys/${me.key.id}/name`;
  const renamed = await request(path, { method: "PUT", body: { name: "importer" } });
  expect(renamed).toMatchObject({ id: me.key.id, organization: "First", name: "importer" });
  expect((await here.call("GET", "/api/v1/me")).body.data.key.name).toBe("importer");
  await here.account({ name: "Acme" });
  const { data } = (await here.call("GET", "/api/v1/changes?after=0")).body;
  expect(data[0].actor).toMatchObject({ id: me.key.id, name: "importer" });
  const errors = [
    await request(path, { method: "PUT", body: { name: "a\nb" } }).catch((error) => error.code),
    await request("/operator/keys/9999/name", { method: "PUT", body: { name: "x" } }).catch(
      (error) => error.code,
    ),
  ];
  expect(errors).toEqual(["invalid_name", "not_found"]);
});
