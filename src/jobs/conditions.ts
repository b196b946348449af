import { oldChangesDue } from "../changes/retention.ts";
import { alwaysDue, type DueCondition, dueJobsReader } from "../core/due-jobs.ts";
import { fileErasuresDue } from "../core/file-erasure.ts";
import { oldIdempotencyKeysDue } from "../core/tenant/idempotency-expiry.ts";
import { accountDeletionsDue } from "../deletions/accounts.ts";
import { attachmentsDue } from "../events/attach.ts";
import { oldEventsDue, pendingEventsDue } from "../events/retention.ts";
import { clockResetDue } from "../health-scores/clock-reset.ts";
import { scoresDue } from "../health-scores/refresh.ts";
import { pendingTraitsDue } from "../ingest/attach-traits.ts";
import { organizationDeletionsDue } from "../organizations/delete.ts";
import { expiredUsersDue } from "../usage/expiry.ts";

export const organizationDeletions = "organization deletions";
/** The jobs in the order in which a round runs them, and when each is due. */
const conditions = {
  [organizationDeletions]: organizationDeletionsDue,
  "file erasures": fileErasuresDue,
  "account deletions": accountDeletionsDue,
  attachments: attachmentsDue,
  "pending traits": pendingTraitsDue,
  "scores after a clock reset": clockResetDue,
  scores: scoresDue,
  "pending events": pendingEventsDue,
  "old events": oldEventsDue,
  "expired users": expiredUsersDue,
  "old changes": oldChangesDue,
  "old idempotency keys": oldIdempotencyKeysDue,
} satisfies Record<string, DueCondition>;
export type JobTitle = keyof typeof conditions;
// Safe: the keys of `conditions`.
const titles = Object.keys(conditions) as JobTitle[];

/** Reads the jobs that have work for each organization of a range. */
export const readDueJobs = dueJobsReader("jobs.due", conditions);
/** The same without reading rows of organizations: all jobs of each. */
export const readAllJobs = dueJobsReader("jobs.all", {
  // Safe: the keys of `conditions`.
  ...(Object.fromEntries(titles.map((job) => [job, alwaysDue])) as Record<JobTitle, DueCondition>),
  [organizationDeletions]: organizationDeletionsDue,
});

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
