import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

/** The unique constraints that span organizations: one selects the organization, the other names it. */
const global = ["api_keys (hash)", "organizations (folded_name)", "secrets (name)"];

test("every index and unique constraint begins with organization_id, except where it selects the organization", async () => {
  const { file } = await world();
  const client = new Database(file, { readonly: true });
  const all = client
    .query<{ tableName: string; column: string }, []>(
      `SELECT t.name AS tableName, c.name AS "column" FROM sqlite_schema AS t, pragma_index_list(t.name) AS i,
       pragma_index_info(i.name) AS c WHERE t.type = 'table' AND c.seqno = 0`,
    )
    .all();
  client.close();
  expect(all.length).toBeGreaterThan(30);
  const others = all.filter(({ column }) => column !== "organization_id");
  expect(others.map(({ tableName, column }) => `${tableName} (${column})`).toSorted()).toEqual(global);
});

test("no foreign key changes or deletes the rows that refer to another row", async () => {
  const { file } = await world();
  using client = new Database(file, { readonly: true });
  const actions = client
    .query<{ on_update: string; on_delete: string }, []>(
      "SELECT k.on_update, k.on_delete FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS k WHERE t.type = 'table'",
    )
    .all();
  expect(actions.length).toBeGreaterThan(25);
  expect(new Set(actions.flatMap((of) => Object.values(of)))).toEqual(new Set(["NO ACTION"]));
});
