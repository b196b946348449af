import type { Proof } from "../support/proof.ts";
import { Random } from "../support/random.ts";
import { storesApart } from "./controls/kill.ts";
import { unsyncedCheckpoint, unsyncedCommits, unsyncedFolder } from "./controls/power-loss.ts";
import { database, type Recording, record } from "./power-record.ts";
import { cannotTrace } from "./power-trace.ts";
import { type Count, faultsAfter } from "./power-trial.ts";

/** The number of changes in each recorded run of the service, and the number of simulated losses of power. */
const plans = {
  short: [{ lives: [60, 60], images: 120 }],
  long: [
    ...Array.from({ length: 8 }, () => ({ lives: [150, 150, 150], images: 1_200 })),
    // Enough for checkpoints during the work, after which the WAL is overwritten from its beginning.
    ...Array.from({ length: 2 }, () => ({ lives: [2_000], images: 600 })),
  ],
};
/** The number of faults after which the proof stops. */
const enough = 10;

export const powerLoss: Proof = {
  name: "power-loss",
  claim:
    "after a loss of power at any time the database is sound and has every acknowledged change completely",
  missing: cannotTrace,
  controls: [unsyncedCommits, unsyncedCheckpoint, unsyncedFolder, storesApart],
  async run(program, scale, print) {
    const tried: Record<string, number> = {};
    const count = (what: string, more = 1) => {
      tried[what] = (tried[what] ?? 0) + more;
    };
    const faults: string[] = [];
    const seed = Date.now();
    for (const [index, { lives, images }] of plans[scale].entries()) {
      const recording = await record(program, lives);
      countSteps(recording, count);
      print(`${recording.steps.length} steps recorded, ${recording.answers} answers`);
      const random = new Random(seed + index);
      for await (const fault of faultsAfter(recording, images, random, program, count)) {
        faults.push(fault);
        if (faults.length >= enough) return { tried, faults };
      }
    }
    if (scale === "long" && !tried[begunAnew]) throw new Error("the WAL was never begun anew");
    return { tried, faults };
  },
};

const begunAnew = "times that the WAL was begun anew";

/** Counts the recorded steps. Throws when a received reply is not recorded. */

function countSteps({ steps, told, answers }: Recording, count: Count): void {
  count("recordings");
  let isCheckpointed = true;
  let isBegun = false;
  for (const step of steps) {
    if (step.does === "tell") continue;
    count(step.does === "sync" ? "syncs" : "changes of files");
    if (step.path.endsWith(`${database}-wal`)) {
      if (step.does === "write" && step.offset === 0 && isBegun) count(begunAnew);
      isBegun = step.does === "write" || (step.does === "sync" && isBegun);
    }
    if (!step.path.endsWith(database)) continue;
    if (step.does === "sync" && !isCheckpointed) count("checkpoints");
    isCheckpointed = step.does === "sync";
  }
  const found = steps.flatMap(told).length;
  // The organization and its key are printed by commands.
  if (found !== answers + 2) throw new Error(`of ${answers + 2} answers the record has ${found}`);
  count("answers", found);
}
