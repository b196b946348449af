import { expect, test } from "bun:test";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { textsOf } from "./rows.ts";

test("an engine whose connections were closed while they were idle goes on without an error", async () => {
  const url = await migratedDatabase();
  const engine = await engineOn(url, { connections: { readConnections: 1, writeLanes: 1 } });
  const use = async () => {
    await engine.write(1, (tx) => textsOf(tx, 1));
    await engine.read((snapshot) => textsOf(snapshot, 1));
    await engine.ping();
  };
  await use();
  const closed = await connection(url)`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'accountd' and datname = current_database()`;
  expect(closed).toHaveLength(3);
  await Bun.sleep(100);
  await use();
});
