import { expect, test } from "bun:test";
import { EngineBusy, OutcomeUnknown } from "../../db/errors.ts";
import { type ConnectionLoss, startLossProxy } from "../faults/postgres-proxy.ts";
import { connection, engineOn, migratedDatabase } from "./database.ts";
import { addText, allTexts, textsOf } from "./rows.ts";

type Fault = Pick<ConnectionLoss, "arrives" | "resets"> | "dead";
const states = { "before BEGIN": "begin", "between statements": "change", "at COMMIT": "commit" } as const;
type State = keyof typeof states;

/** The connection is reset before the server gets the statement, instead of its reply, or half a second before it. */
const [cut, cutReply, cutLate] = (["never", "now", "late"] as const).map(
  (arrives): Fault => ({ arrives, resets: "both" }),
) as [Fault, Fault, Fault];
/** The connection is lost silently, before the server gets the statement or afterwards. */
const [mute, muteReply] = (["never", "now"] as const).map(
  (arrives): Fault => ({ arrives, resets: "none" }),
) as [Fault, Fault];

/** Runs a batch of two writes and injects a fault in a state. Returns both results and the time. */
async function writeWithFault(database: string, fault: Fault, state: State) {
  const proxy = await startLossProxy(database);
  const engine = await engineOn(proxy.url, { connections: { writeLanes: 1 } });
  await engine.write(1, (tx) => textsOf(tx, 1));
  if (fault !== "dead") void proxy.lose({ state: states[state], ...fault });
  const silenceAt = (current: State) => fault === "dead" && current === state && proxy.setSilent(true);
  const startedAt = performance.now();
  const name = `${JSON.stringify(fault)} ${state}`;
  const results = await Promise.allSettled([
    engine.write(2, (tx) => addText(tx, 2, `${name}, other`)),
    engine.write(1, async (tx) => {
      await addText(tx, 1, `${name}, first`);
      // A read of the table sends the rows that are inserted together.
      await textsOf(tx, 1);
      silenceAt("between statements");
      await addText(tx, 1, `${name}, second`);
      await textsOf(tx, 1);
      // The other write has ended: the next message is COMMIT.
      await Bun.sleep(100);
      silenceAt("at COMMIT");
    }),
  ]);
  const seconds = (performance.now() - startedAt) / 1000;
  const outcomes = results.map((result) => (result.status === "fulfilled" ? "stored" : result.reason));
  proxy.setSilent(false);
  await engine.write(3, (tx) => addText(tx, 3, `${name}, after`));
  const stored = (await allTexts(engine)).filter((text) => text.startsWith(name) && !/after/.test(text));
  return { outcomes, seconds, storedCount: stored.length };
}

test.concurrent.each(["before BEGIN", "between statements"] as const)(
  "a connection that is reset %s makes the batch fail with EngineBusy, and nothing is stored",
  async (state) => {
    const database = await migratedDatabase();
    for (const fault of [cut, cutReply]) {
      const { outcomes, seconds, storedCount } = await writeWithFault(database, fault, state);
      expect(outcomes).toEqual([expect.any(EngineBusy), expect.any(EngineBusy)]);
      expect([storedCount, seconds < 1]).toEqual([0, true]);
    }
  },
);

test.concurrent("after a reset at COMMIT, the writes fail if nothing was stored, and otherwise succeed", async () => {
  const database = await migratedDatabase();
  const lost = await writeWithFault(database, cut, "at COMMIT");
  expect(lost.outcomes).toEqual([expect.any(EngineBusy), expect.any(EngineBusy)]);
  expect(lost.storedCount).toBe(0);
  // Of the last one, the transaction is still open when its outcome is asked for.
  for (const fault of [cutReply, cutLate]) {
    const stored = await writeWithFault(database, fault, "at COMMIT");
    expect(stored.outcomes).toEqual(["stored", "stored"]);
    expect(stored.storedCount).toBe(3);
  }
});

test.concurrent("a connection that is lost silently is given up within 8 s, and leaves no open transaction", async () => {
  const database = await migratedDatabase();
  const sql = connection(database);
  let longest = 0;
  const watch = setInterval(async () => {
    const [row] =
      await sql`select coalesce(extract(epoch from max(clock_timestamp() - state_change)), 0)::float8
      as seconds from pg_stat_activity where state like 'idle in transaction%' and application_name = 'accountd'`;
    longest = Math.max(longest, row.seconds);
  }, 200);
  const busy = [expect.any(EngineBusy), expect.any(EngineBusy)];
  const unknown = [expect.any(OutcomeUnknown), expect.any(OutcomeUnknown)];
  const cases: [Fault, State, unknown[], number][] = [
    [mute, "before BEGIN", busy, 0],
    [muteReply, "before BEGIN", busy, 0],
    [mute, "between statements", busy, 0],
    [muteReply, "between statements", busy, 0],
    [mute, "at COMMIT", busy, 0],
    [muteReply, "at COMMIT", ["stored", "stored"], 3],
    ["dead", "between statements", busy, 0],
    ["dead", "at COMMIT", unknown, 0],
  ];
  await Promise.all(
    cases.map(async ([fault, state, outcomes, storedCount]) => {
      const found = await writeWithFault(await migratedDatabase(), fault, state);
      expect([fault, state, ...found.outcomes, found.storedCount]).toEqual([
        fault,
        state,
        ...outcomes,
        storedCount,
      ]);
      expect(found.seconds).toBeLessThan(8);
    }),
  );
  clearInterval(watch);
  expect(longest).toBeGreaterThan(1);
  expect(longest).toBeLessThan(5);
}, 100_000);
