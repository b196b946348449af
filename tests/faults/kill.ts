import type { Breakage } from "../support/broken.ts";
import type { Program, Proof, Say, Scale } from "../support/proof.ts";
import { Ledger } from "./kill-ledger.ts";
import { Writer } from "./kill-writer.ts";
import { type Restartable, restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

const writers = 8;
const demand = {
  short: { kills: 4, writes: 200, mostKills: 4 },
  long: { kills: 1_000, writes: 200_000, mostKills: 4_000 },
};
/** How many changes are answered between two kills, and how often one file is killed under its writers. */
const [fewest, most] = [60, 440];
const killsOfOneFile = 25;
/** Milliseconds: for the answers before a kill, and, where enough restarts were seen to judge, for the first answer. */
const patience = 30_000;
const slowest = 1_000;

/** A kill between an answer and its commit loses what was answered. */
const answersTooEarly: Breakage = {
  name: "changes are answered before they are committed",
  edits: [
    {
      file: "db/writes.ts",
      from: '        this.#hooks.beforeCommit();\n        connection.execute("COMMIT");\n        answer(outcomes);\n',
      to: '        answer(outcomes);\n        await Bun.sleep(2);\n        this.#hooks.beforeCommit();\n        connection.execute("COMMIT");\n',
    },
  ],
};
/** A kill between the two leaves an account without its contact. */
const storesApart: Breakage = {
  name: "an account and its contact are stored one after the other",
  edits: [
    {
      file: "src/accounts/store.ts",
      from: "      await contactStore.add(rows, row.id, { name: contact, email: contactEmail }, tenant.now);\n    return row;\n",
      to: "      await 0;\n    return row;\n",
    },
    {
      file: "src/accounts/store.ts",
      from: "  });\n}\n\n/**\n * Changes the members that are given. When none",
      to: "  }).then((row) => contact === null ? row : tenant.write(async (rows) => {\n    await contactStore.add(rows, row.id, { name: contact, email: contactEmail }, tenant.now);\n    return row;\n  }));\n}\n\n/**\n * Changes the members that are given. When none",
    },
  ],
};
/** A kill between the two leaves a count that is one too few. */
const countsApart: Breakage = {
  name: "a new account is counted after it is stored",
  edits: [
    {
      file: "src/accounts/store.ts",
      from: "  await countOneMore(rows, row.status);\n",
      to: "  setTimeout(() => tenant.write((later) => countOneMore(later, row.status)));\n",
    },
  ],
};

export const kill: Proof = {
  name: "kill",
  claim: "After a SIGKILL under 8 writers all that was answered is there, and nothing is there by half",
  run,
  controls: [answersTooEarly, storesApart, countsApart],
};

async function run(program: Program, scale: Scale, say: Say) {
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
      // A program that loses something is shown to: what follows is of no use.
      if (faults.length > 0) return { tried: tried(), faults };
    }
    await database.end();
    say(`${restarts.length} kills, ${acknowledged} changes answered, p99 ${p99(restarts).toFixed(0)} ms`);
  }
  if (restarts.length < kills || acknowledged < writes)
    throw new Error(`only ${acknowledged} changes were answered`);
  if (scale === "long" && p99(restarts) >= slowest)
    faults.push(`99 of 100 restarts answered within ${p99(restarts).toFixed(0)} ms`);
  return { tried: tried(), faults };

  function tried(): Record<string, number> {
    const slow = Math.ceil(p99(restarts));
    return { kills: restarts.length, "acknowledged writes": acknowledged, "ms to answer again (p99)": slow };
  }
}

/** Lets all write until some changes were answered, and kills the program at no moment in particular. */
async function killUnderWriters(database: Restartable, all: Writer[], ledger: Ledger): Promise<string[]> {
  const target = ledger.acknowledged + fewest + Math.random() * (most - fewest);
  const deadline = performance.now() + patience;
  let ended = 0;
  const writing = all.map(async (writer) => {
    const refused = await writer.writeUntilCut(database.url(), database.key);
    ended += 1;
    return refused;
  });
  while (ledger.acknowledged < target && ended === 0) {
    if (performance.now() > deadline) throw new Error("the writers were not answered in time");
    await Bun.sleep(1);
  }
  await database.kill();
  return (await Promise.all(writing)).flat();
}

/** The value below which 99 of 100 are. */
function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
}
