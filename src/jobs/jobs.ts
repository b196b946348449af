import type { Engine } from "../../db/engine.ts";
import { EraseBlocked } from "../../db/errors.ts";
import { conversionsDue, convertAttributes } from "../attributes/convert.ts";
import { oldChangesDue, removeOldChanges } from "../changes/retention.ts";
import { type DueCondition, type DueJobs, dueJobsReader, readOrganizationIds } from "../core/due-jobs.ts";
import { createFileEraser, fileErasuresDue } from "../core/file-erasure.ts";
import { writeBatchSize } from "../core/pauses.ts";
import { oldIdempotencyKeysDue, removeOldIdempotencyKeys } from "../core/tenant/idempotency-expiry.ts";
import { type JobName, Tenant, type TenantServices } from "../core/tenant/tenant.ts";
import type { Reaction } from "../core/tenant/transaction.ts";
import { accountDeletionsDue, finishAccountDeletions } from "../deletions/accounts.ts";
import { attachingDue, attachNextEvents } from "../events/attach.ts";
import { expirePendingEvents, oldEventsDue, pendingEventsDue, removeOldEvents } from "../events/retention.ts";
import { clockResetDue, markScoresAfterReset } from "../health-scores/clock-reset.ts";
import { refreshScores, scoresDue } from "../health-scores/recompute.ts";
import { rescoreNext, rescoringDue } from "../health-scores/rescore.ts";
import { pendingTraitsDue, processPendingTraits } from "../ingest/attach-traits.ts";
import { createOrganizationDeleter, organizationDeletionsDue } from "../organizations/delete.ts";
import { deleteExpiredUsers, expiredUsersDue } from "../usage/expiry.ts";
import { deliveriesDue } from "../webhooks/deliver/store.ts";
import { oldDeliveriesDue, removeOldDeliveries } from "../webhooks/retention.ts";

/** Runs one batch of a job for one organization. Its transaction takes a few milliseconds. Returns whether there may be more. */
type JobStep = (tenant: Tenant) => Promise<boolean>;
type JobOptions = {
  engine: Engine;
  reactions: readonly Reaction[];
  /** The days after which events, and changes, are deleted. */
  eventDays: number;
  changeDays: number;
  /** The longest time that a request waits for a job. Tests wait longer. */
  maxWaitMilliseconds?: number;
  /** Called at each step that another program prevents from erasing a part of the file. */
  onEraseBlocked?: (organizationId: number) => void;
};
export type Jobs = {
  listOrganizations(afterId: number, limit: number): Promise<number[]>;
  /** Reads the jobs that have work for each of these organizations, with one statement. */
  listDue(ids: readonly number[]): Promise<DueJobs<JobTitle>[]>;
  /** All jobs of each of these organizations, for which `listDue` fails: then only the step of one job fails. */
  listAll(ids: readonly number[]): Promise<DueJobs<JobTitle>[]>;
  /** The organizations among these that have an active webhook. */
  listDelivering(ids: readonly number[]): Promise<number[]>;
  /** The steps by the names of their jobs. A step without work is without effect. */
  steps: Readonly<Record<string, JobStep>>;
  /** Runs one step of the deletion of an organization. Returns whether there is more. */
  deleteOrganization(organizationId: number): Promise<boolean>;
  tenant(organizationId: number): Tenant;
  runJob: TenantServices["runJob"];
};

/** What the steps of one process share. */
type Context = Record<"eventDays" | "changeDays", number> & Record<"eraseFile" | "markScores", JobStep>;
type Job = DueCondition & { run: (tenant: Tenant, context: Context) => Promise<boolean> };

/** The first job of a round. An organization that is being deleted has no other one. */
export const organizationDeletions = "organization deletions";
/** The further jobs in the order in which a round runs them. */
const table = {
  "file erasures": { ...fileErasuresDue, run: (tenant, { eraseFile }) => eraseFile(tenant) },
  "account deletions": { ...accountDeletionsDue, run: finishAccountDeletions },
  attachments: { ...attachingDue, run: attachNextEvents },
  "attribute conversions": { ...conversionsDue, run: convertAttributes },
  "pending traits": { ...pendingTraitsDue, run: processPendingTraits },
  "scores after a clock reset": { ...clockResetDue, run: (tenant, { markScores }) => markScores(tenant) },
  rescoring: { ...rescoringDue, run: (tenant) => rescoreNext(tenant) },
  // Scores that become stale meanwhile wait for the next round: more of them share a commit.
  scores: { ...scoresDue, run: async (tenant) => (await refreshScores(tenant)) === "more" },
  "pending events": { ...pendingEventsDue, run: expirePendingEvents },
  "old events": { ...oldEventsDue, run: (tenant, { eventDays }) => removeOldEvents(tenant, eventDays) },
  "expired users": { ...expiredUsersDue, run: deleteExpiredUsers },
  "old changes": { ...oldChangesDue, run: (tenant, { changeDays }) => removeOldChanges(tenant, changeDays) },
  "old idempotency keys": { ...oldIdempotencyKeysDue, run: removeOldIdempotencyKeys },
  "old deliveries": { ...oldDeliveriesDue, run: removeOldDeliveries },
} satisfies Record<string, Job>;
export type JobTitle = typeof organizationDeletions | keyof typeof table;
// Safe: the keys of `table`.
const titles = Object.keys(table) as (keyof typeof table)[];

const deletion = { [organizationDeletions]: organizationDeletionsDue };
const readDueJobs = dueJobsReader<JobTitle>("jobs.due", { ...deletion, ...table });
const readDeletions = dueJobsReader("jobs.deletions", deletion);
const readDeliveries = dueJobsReader("jobs.deliveries", { deliveries: deliveriesDue });

/** The jobs for which a step of another one makes work: one round runs both. */
const followers: Partial<Record<JobTitle, JobTitle>> = {
  attachments: "scores",
  "scores after a clock reset": "scores",
  "old events": "expired users",
};

/** The due jobs and their followers, in the order in which a round runs them. */
export function withFollowers(due: readonly JobTitle[]): JobTitle[] {
  if (due.length === 0) return [];
  const all = new Set(due.flatMap((job) => [job, followers[job] ?? job]));
  return titles.filter((job) => all.has(job));
}

const defaultMaxWaitMilliseconds = 250;
/** The most steps that a job runs for a request. */
const maxSteps = 10;
/** With more stale scores, a request does not wait: it would show old ones in any case. */
const maxStaleScores = maxSteps * writeBatchSize;

/** The jobs of the service. The scheduler runs all of them; `runJob` runs one for a request. */
export function createJobs(options: JobOptions): Jobs {
  const { engine, reactions, eventDays, changeDays } = options;
  const { maxWaitMilliseconds = defaultMaxWaitMilliseconds } = options;
  const onDemand: Record<JobName, JobStep> = {
    // Until none is stale: the step may have begun before the change that a request wants to see.
    scores: async (tenant) =>
      (await rescoreNext(tenant, maxStaleScores)) || (await refreshScores(tenant, maxStaleScores)) !== "none",
    "pending events": expirePendingEvents,
  };
  const running = new Map<string, Promise<void>>();
  const services: TenantServices = { engine, reactions, runJob };
  const tenant = (organizationId: number) =>
    new Tenant(services, { organizationId, actor: { type: "job" }, requestId: null });

  async function runJob(organizationId: number, job: JobName): Promise<void> {
    const key = `${organizationId} ${job}`;
    const run = running.getOrInsertComputed(key, () =>
      runSteps(onDemand[job], tenant(organizationId)).finally(() => running.delete(key)),
    );
    await Promise.race([run, Bun.sleep(maxWaitMilliseconds)]);
  }

  const deleteOrganization = createOrganizationDeleter(engine);
  const eraseFile = createFileEraser(engine);

  /** Runs a step that erases a part of the file; while that is blocked, there is nothing more to do in this round. */
  async function eraseUnlessBlocked(run: (id: number) => Promise<boolean>, id: number): Promise<boolean> {
    try {
      return await run(id);
    } catch (error) {
      if (!(error instanceof EraseBlocked)) throw error;
      options.onEraseBlocked?.(id);
      return false;
    }
  }

  const context: Context = {
    eventDays,
    changeDays,
    eraseFile: ({ organizationId }) => eraseUnlessBlocked(eraseFile, organizationId),
    markScores: markScoresAfterReset(),
  };

  function list<J extends string>(
    read: ReturnType<typeof dueJobsReader<J>>,
    ids: readonly number[],
  ): Promise<DueJobs<J>[]> {
    const { clock } = engine;
    // First, because it detects a reset of the clock.
    const now = engine.now();
    const times = { now, retentionTime: clock.retentionTime(), eventDays, changeDays };
    return engine.read((snapshot) => read(snapshot, times, ids), { isOneStatement: true });
  }

  return {
    steps: Object.fromEntries(titles.map((job) => [job, (tenant) => table[job].run(tenant, context)])),
    listOrganizations: (afterId, limit) =>
      engine.read((snapshot) => readOrganizationIds(snapshot, afterId, limit), { isOneStatement: true }),
    listDue: (ids) => list(readDueJobs, ids),
    listAll: async (ids) => {
      const organizations = await list(readDeletions, ids);
      return organizations.map(({ organizationId, jobs }) => ({
        organizationId,
        jobs: [...jobs, ...titles],
      }));
    },
    listDelivering: async (ids) => {
      const organizations = await list(readDeliveries, ids);
      return organizations.flatMap(({ organizationId, jobs }) => (jobs.length > 0 ? organizationId : []));
    },
    deleteOrganization: (id) => eraseUnlessBlocked(deleteOrganization, id),
    tenant,
    runJob,
  };
}

async function runSteps(step: JobStep, tenant: Tenant): Promise<void> {
  try {
    for (let count = 0; count < maxSteps && (await step(tenant)); count += 1);
  } catch {
    // The scheduler runs the same job and logs the error. The request shows what is stored.
  }
}
