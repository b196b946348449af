import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { countsApart, recordsApart, repliesTooEarly, storesApart } from "./controls/kill.ts";
import { type Restartable, restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";
import { storedMarks, WriteLedger } from "./write-ledger.ts";
import { Writer } from "./writer.ts";

const writers = 8;
const demand = {
  short: { kills: 4, writes: 200, mostKills: 4 },
  long: { kills: 1_000, writes: 200_000, mostKills: 4_000 },
};
/** The number of acknowledged changes between two kills, and the number of kills for one file. */
const [fewest, most] = [60, 440];
const killsOfOneFile = 25;
/** The maximum milliseconds to the first reply, if there are enough restarts. */
const slowest = 1_000;
/** The maximum milliseconds for a reply, and until the writers have enough replies for a kill. */
const [maxMilliseconds, patience] = [5_000, 30_000];

export const kill: Proof = {
  name: "kill",
  claim:
    "After a SIGKILL under 8 writers every acknowledged change is stored, and no change is stored in part",
  run,
  controls: [repliesTooEarly, storesApart, countsApart, recordsApart],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const { kills, writes, mostKills } = demand[scale];
  const faults: string[] = [];
  const restarts: number[] = [];
  let acknowledged = 0;
  while ((restarts.length < kills || acknowledged < writes) && restarts.length < mostKills) {
    const database = await restartable(program);
    const ledger = new WriteLedger();
    await killUnderWriters(database, ledger, Math.min(killsOfOneFile, kills), restarts);
    acknowledged += ledger.acknowledged;
    faults.push(...ledger.faults);
    // The program lost a change, so further restarts are not useful.
    if (faults.length > 0) return { tried: tried(), faults };
    faults.push(...(await database.end()));
    print(
      `${restarts.length} kills, ${acknowledged} changes answered, p99 ${quantileOf(restarts, 0.99).toFixed(0)} ms`,
    );
  }
  if (restarts.length < kills || acknowledged < writes)
    throw new Error(`only ${acknowledged} changes were answered`);
  if (scale === "long" && quantileOf(restarts, 0.99) >= slowest)
    faults.push(`99 of 100 restarts answered within ${quantileOf(restarts, 0.99).toFixed(0)} ms`);
  return { tried: tried(), faults };

  function tried(): Record<string, number> {
    const slow = Math.ceil(quantileOf(restarts, 0.99));
    return { kills: restarts.length, "acknowledged writes": acknowledged, "ms to answer again (p99)": slow };
  }
}

/** Kills the program again and again under all writers, and compares after each start, before they continue. */
async function killUnderWriters(
  database: Restartable,
  ledger: WriteLedger,
  kills: number,
  restarts: number[],
): Promise<void> {
  const { faults } = ledger;
  let [isPaused, isOver] = [false, false];
  await database.start();
  const all = Array.from(
    { length: writers },
    (_, i) =>
      new Writer({
        name: `w${i}`,
        key: database.key,
        address: () => (isPaused ? undefined : database.url()),
        ledger,
        isOver: () => isOver,
        maxMilliseconds: () => maxMilliseconds,
      }),
  );
  const running = Promise.all(all.map((writer) => writer.run()));
  try {
    for (let killed = 0; killed < kills && faults.length === 0; killed += 1) {
      const target = ledger.acknowledged + fewest + Math.random() * (most - fewest);
      const deadline = performance.now() + patience;
      while (ledger.acknowledged < target && faults.length === 0) {
        if (performance.now() > deadline) throw new Error("the writers were not answered in time");
        await Bun.sleep(1);
      }
      isPaused = true;
      await database.kill();
      const { took, accounts } = await database.start();
      restarts.push(took);
      faults.push(...inspect(database.database, unsound));
      ledger.compare(inspect(database.database, (file) => file.query(storedMarks("text")).values()));
      const [[stored]] = inspect(database.database, (file) =>
        file.query<[number], []>("SELECT count(*) FROM accounts").values(),
      ) as [[number]];
      if (accounts !== stored) faults.push(`${accounts} accounts are counted, and ${stored} are stored`);
      isPaused = false;
    }
  } finally {
    isOver = true;
    await running;
  }
  const codes = new Set(all.flatMap(({ refusedCodes }) => Object.keys(refusedCodes)));
  codes.delete("external_id_conflict");
  if (codes.size > 0) faults.push(`writes were refused: ${[...codes].join(", ")}`);
}
