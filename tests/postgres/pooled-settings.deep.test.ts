import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { EngineBusy, UniqueViolation } from "../../db/errors.ts";
import { startLossProxy } from "../faults/postgres-proxy.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, textsOf } from "./rows.ts";

const limits = { readConnections: 1, writeLanes: 1, prepare: false };

/** Loses the connection in a state of the call; resolves with the outcome and the longest time idle in a transaction. */
async function loseIn(
  state: "begin" | "begin of a read" | "rollback",
  call: (engine: Engine) => Promise<unknown>,
) {
  const url = await migratedDatabase();
  const proxy = await startLossProxy(url);
  const engine = await engineOn(proxy.url, { connections: limits });
  await engine.write(1, (tx) => addText(tx, 1, "first"));
  await engine.read((snapshot) => textsOf(snapshot, 1));
  const lost = proxy.lose({ state, arrives: state === "rollback" ? "never" : "now", resets: "none" });
  const called = call(engine).catch((error: unknown) => error);
  await lost;
  const sql = connection(url);
  let longestSeconds = 0;
  for (let isOpen = true; isOpen; await Bun.sleep(100)) {
    const [row] =
      await sql`select extract(epoch from max(clock_timestamp() - state_change))::float8 as seconds
      from pg_stat_activity where state like 'idle in transaction%' and application_name = 'accountd'
        and datname = current_database()`;
    longestSeconds = Math.max(longestSeconds, row.seconds ?? 0);
    isOpen = row.seconds !== null && row.seconds < 10;
  }
  const outcome = await called;
  await engine.write(1, (tx) => addText(tx, 1, "last"));
  expect(await engine.read((snapshot) => textsOf(snapshot, 1))).toEqual(["first", "last"]);
  return { outcome, longestSeconds };
}

test("without prepared statements, a connection that is lost in a transaction is idle in it for at most 5 s", async () => {
  const found = await Promise.all([
    loseIn("begin", (engine) => engine.write(1, (tx) => addText(tx, 1, "text"))),
    loseIn("begin of a read", (engine) => engine.read((snapshot) => textsOf(snapshot, 1))),
    loseIn("rollback", (engine) => engine.write(1, (tx) => addText(tx, 1, "first"))),
  ]);
  // The conflict was known before its rollback.
  expect(found.map(({ outcome }) => outcome)).toEqual([
    expect.any(EngineBusy),
    expect.any(EngineBusy),
    expect.any(UniqueViolation),
  ]);
  for (const { longestSeconds } of found) {
    expect(longestSeconds).toBeGreaterThan(1);
    expect(longestSeconds).toBeLessThan(5);
  }
}, 60_000);
