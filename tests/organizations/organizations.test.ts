import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createOrganization, findOrganization } from "../../src/organizations/store.ts";
import { world } from "../support/world.ts";

test("outer blanks of an organization's name are removed, inner ones stay", async () => {
  const { engine } = await world();
  const created = await createOrganization(engine, " \t\u00a0Acme  Inc. \n");
  expect(created.name).toBe("Acme  Inc.");
  for (const name of ["acme  inc.", "  ACME  Inc. "])
    expect(await findOrganization(engine, name)).toEqual(created);
  expect(await findOrganization(engine, ` ${created.id} `)).toEqual(created);
});

test("names that differ in outer blanks or letter case are the same, also next to an untrimmed one", async () => {
  const { engine, file, first } = await world();
  await createOrganization(engine, "Acme");
  const client = new Database(file);
  client.run(`UPDATE organizations SET name = ' Élan ', folded_name = ' élan ' WHERE id = ${first.id}`);
  client.close();
  for (const name of [" Acme", "ACME\u2003", "élan", " ÉLAN ", "Élan\t"]) {
    const failure = await createOrganization(engine, name).catch((error: unknown) => error);
    expect([name, failure]).toEqual([name, expect.objectContaining({ code: "name_taken" })]);
  }
  expect(await findOrganization(engine, "Élan")).toMatchObject({ id: first.id, name: " Élan " });
});

test("the rules for names apply to what is left", async () => {
  const { engine } = await world();
  for (const name of [" \u3000 ", " 12 ", ` ${"x".repeat(256)}`, "a\nb "]) {
    const failure = await createOrganization(engine, name).catch((error: unknown) => error);
    expect([name, failure]).toEqual([name, expect.objectContaining({ code: "invalid_name" })]);
  }
  expect((await createOrganization(engine, ` ${"x".repeat(255)} `)).name).toHaveLength(255);
});
