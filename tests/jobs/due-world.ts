import { getTableColumns, getTableName } from "drizzle-orm";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { organizations } from "../../db/schema.ts";
import { tenantTables } from "../../db/tables.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { reactions } from "../../src/reactions.ts";
import { healthWorld } from "../health-scores/health-world.ts";
import { isPostgres } from "../support/world.ts";

/** A statement that reads all rows of all tables. */
const contentStatement = `SELECT ${[organizations, ...tenantTables.map(({ table }) => table)]
  .map((table) => {
    const columns = Object.values(getTableColumns(table)).map(({ name }) => `"${name}"`);
    const rows = isPostgres ? "json_agg(one)" : `json_group_array(json_array(${columns}))`;
    const name = getTableName(table);
    return `(SELECT ${rows} FROM ${name} AS one) AS ${name}`;
  })
  .join()}`;

/** A world with an account in each of two organizations, whose jobs have run, and the jobs of another process. */
export async function dueWorld() {
  const here = await healthWorld();
  await here.scored(100, { externalId: "acme" });
  await here.scored(100, { externalId: "acme" }, { key: here.second.key });
  await runDueJobs(here);
  const engine = await here.openEngine();
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  const content = async () => JSON.stringify(await here.rows(contentStatement));
  async function dueIn(id: number): Promise<string[]> {
    // All reads of one turn have one snapshot, also of rows that the test changed.
    await yieldToEventLoop();
    const [row] = await jobs.listDue([id]);
    return row?.jobs ?? [];
  }
  return {
    ...here,
    jobs,
    /** The jobs of a process that starts now. */
    restarted: async () =>
      createJobs({ engine: await here.openEngine(), reactions, eventDays: 35, changeDays: 400 }),
    due: async () => [await dueIn(here.first.id), await dueIn(here.second.id)],
    /** Runs the steps of each job. Returns the jobs that changed rows and were not due, or the other way round. */
    async wrongConditions(): Promise<string[]> {
      const wrong: string[] = [];
      let before = await content();
      for (const { id } of [here.first, here.second])
        for (const [job, step] of Object.entries(jobs.steps)) {
          const isDue = (await dueIn(id)).includes(job);
          while (await step(jobs.tenant(id)));
          const after = await content();
          if ((after !== before) !== isDue) wrong.push(`${job} of ${id}: ${isDue ? "due" : "not due"}`);
          before = after;
        }
      return wrong;
    },
  };
}
export type DueWorld = Awaited<ReturnType<typeof dueWorld>>;
