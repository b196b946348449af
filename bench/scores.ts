import { openDatabase } from "../db/sqlite/engine.ts";
import { createJobs } from "../src/jobs/jobs.ts";
import { runDueJobs } from "../src/jobs/scheduler.ts";
import { reactions } from "../src/reactions.ts";

/** The upgrade marks every score as stale: a server would compute them while it is measured. */
export async function computeScores(file: string): Promise<void> {
  const engine = openDatabase(file, { clock: Date.now });
  try {
    const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
    await runDueJobs({ engine, jobs });
  } finally {
    await engine.close();
  }
}
