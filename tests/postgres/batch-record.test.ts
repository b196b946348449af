import { expect, test } from "bun:test";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText } from "./rows.ts";

test("the first write of a lane deletes the records of lanes that have not written for 30 days", async () => {
  const url = await migratedDatabase();
  const sql = connection(url);
  await sql`insert into write_lanes (lane, last_batch, updated_at)
    select gen_random_uuid(), days, now() - days * interval '1 day' from unnest(array[1, 29, 31, 400]) as days`;
  const engine = await engineOn(url, { connections: { writeLanes: 1 } });
  await engine.write(1, (tx) => addText(tx, 1, "a"));
  const rows = await sql`select last_batch from write_lanes where updated_at < now() - interval '1 hour'
    order by last_batch`.values();
  expect(rows.map(([days]: unknown[]) => Number(days))).toEqual([1, 29]);
  expect(await sql`select from write_lanes`).toHaveLength(3);
});
