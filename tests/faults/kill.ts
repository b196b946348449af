import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { countsApart, recordsApart, repliesTooEarly, storesApart } from "./controls/kill.ts";
import { Ledger } from "./kill-ledger.ts";
import { Writer } from "./kill-writer.ts";
import { killAmid, type Restartable, restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

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
    const ledger = new Ledger();
    const all = Array.from({ length: writers }, (_, i) => new Writer(`w${i}`, ledger));
    await database.start();
    const before = restarts.length;
    while (restarts.length < before + Math.min(killsOfOneFile, kills)) {
      const answered = ledger.acknowledged;
      faults.push(...(await killUnderWriters(database, all, ledger)));
      acknowledged += ledger.acknowledged - answered;
      const { took, accounts } = await database.start();
      restarts.push(took);
      faults.push(...inspect(database.database, (file) => [...ledger.settle(file), ...unsound(file)]));
      const stored = ledger.keys().filter((key) => key.startsWith("account ")).length;
      if (accounts !== stored) faults.push(`${accounts} accounts are counted, and ${stored} are stored`);
      // The program lost a change, so further restarts are not useful.
      if (faults.length > 0) return { tried: tried(), faults };
    }
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

/** Runs all writers until some changes are acknowledged, and kills the program. */
function killUnderWriters(database: Restartable, all: Writer[], ledger: Ledger): Promise<string[]> {
  const target = ledger.acknowledged + fewest + Math.random() * (most - fewest);
  const writing = all.map((writer) => writer.writeUntilCut(database.url(), database.key));
  return killAmid(database, writing, () => ledger.acknowledged >= target);
}
