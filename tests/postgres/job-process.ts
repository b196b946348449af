import { openPostgres } from "../../db/postgres/engine.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { startJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";

/** Runs the jobs of a database in its own process; prints a line when it has their lease for the first time. */
const [url = "", leaseSeconds = ""] = Bun.argv.slice(2);
const engine = await openPostgres(url, { clock: Date.now, leaseSeconds: Number(leaseSeconds) });
const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
while (!(await engine.leaseJobs())) await Bun.sleep(50);
console.log("has the lease");
startJobs({ engine, jobs, log: { info: () => {}, error: console.error } });
