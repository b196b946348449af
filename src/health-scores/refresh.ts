import { asc, eq, gt, lte, max } from "drizzle-orm";
import { accountHealth, events, healthProgress } from "../../db/schema.ts";
import { excluded, inputs, integerInput } from "../../db/statements.ts";
import {
  insert,
  select,
  type Tenant,
  type TenantSnapshot,
  type TenantTransaction,
  update,
} from "../core/tenant.ts";
import { dayOf, millisecondsOfDay } from "../core/timestamps.ts";
import { readInputs } from "./inputs.ts";
import { eventsUntilChange, healthOf, nextChangeAt } from "./score.ts";
import { isSteady, keepSteady, type Steady, takeSteady } from "./stability.ts";
import { unscored } from "./stale.ts";

/** How many scores one transaction works out, and how many events it looks through: some milliseconds of the writer's time. */
const step = 100;
const eventStep = 5_000;

const progressOf = select({ fields: { lastEventId: healthProgress.lastEventId }, from: healthProgress });
const lastEvent = select({ fields: { id: max(events.id) }, from: events });
const overdue = select({
  fields: { accountId: accountHealth.accountId },
  from: accountHealth,
  where: lte(accountHealth.changesAt, integerInput("now")),
  orderBy: [asc(accountHealth.changesAt)],
  paged: true,
});
const newEvents = select({
  fields: { id: events.id, accountId: events.accountId, at: events.timestamp },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const saveProgress = insert({
  into: healthProgress,
  values: inputs("lastEventId"),
  onConflict: {
    target: [healthProgress.organizationId],
    set: { lastEventId: excluded(healthProgress.lastEventId) },
  },
});
const ofAccount = eq(accountHealth.accountId, integerInput("accountId"));
const stored = select({
  fields: {
    rank: accountHealth.rank,
    coverage: accountHealth.coverage,
    changesAt: accountHealth.changesAt,
  },
  from: accountHealth,
  where: ofAccount,
});
// What is not set costs nothing: an index is written for every column that is, also to the same value.
const keepScore = update({ table: accountHealth, set: inputs("changesAt"), where: ofAccount });
const saveScore = update({
  table: accountHealth,
  set: inputs("score", "tier", "coverage", "rank", "changesAt"),
  where: ofAccount,
});

/**
 * Works out the scores that no longer hold, some of them, in one transaction: those of accounts with new
 * events, and of accounts that changed or whose time has come. Returns whether there may be more.
 */
export async function refreshHealth(tenant: Tenant): Promise<boolean> {
  if (!(await isBehind(tenant.rows, tenant.latest))) return false;
  return tenant.write(async (tx) => {
    const { lastEventId: lastId = 0 } = (await tx.first(progressOf, {})) ?? {};
    const steady = takeSteady(tenant, lastId);
    const due = await tx.all(overdue, { now: tenant.latest, limit: step, offset: 0 });
    const sent = await tx.all(newEvents, { lastId, limit: eventStep, offset: 0 });
    // What is stored may be of a request that began after this one.
    const now = tenant.latest;
    const accountIds = new Set(due.map(({ accountId }) => accountId));
    let lastEventId = lastId;
    for (const { id, accountId, at } of sent) {
      if (accountIds.size >= step) break;
      if (accountId !== null && !isSteady(steady, accountId, at, now)) accountIds.add(accountId);
      lastEventId = id;
    }
    for (const accountId of accountIds) await workOut(tx, accountId, now, steady);
    if (lastEventId > lastId) await tx.run(saveProgress, { lastEventId });
    keepSteady(tenant, lastEventId, steady);
    return true;
  });
}

async function isBehind(snapshot: TenantSnapshot, now: number): Promise<boolean> {
  if ((await snapshot.all(overdue, { now, limit: 1, offset: 0 })).length > 0) return true;
  const lastId = (await snapshot.first(lastEvent, {}))?.id ?? 0;
  return lastId > ((await snapshot.first(progressOf, {}))?.lastEventId ?? 0);
}

async function workOut(tx: TenantTransaction, accountId: number, now: number, steady: Steady): Promise<void> {
  const known = await readInputs(tx, accountId, now);
  if (!known) return;
  const { score, tier, coverage } = healthOf(known, now);
  const { lastEventAt } = known;
  const next = { score, tier, coverage, rank: score ?? unscored, changesAt: nextChangeAt(known, now) };
  // Events of today leave a score that knows of some in the last day: they are no more recent than it says
  // already, and the trend has its limits. So they need not be looked at, but what follows from them must be,
  // tomorrow.
  if (lastEventAt !== null && now - lastEventAt < millisecondsOfDay) {
    const tomorrow = (dayOf(now) + 1) * millisecondsOfDay;
    const until = Math.min(tomorrow, lastEventAt + millisecondsOfDay);
    next.changesAt = Math.min(next.changesAt, tomorrow);
    steady.set(accountId, { until, events: eventsUntilChange(known.usage, now) - 1 });
  } else steady.delete(accountId);
  const before = await tx.first(stored, { accountId });
  if (before?.rank !== next.rank || before.coverage !== next.coverage)
    await tx.run(saveScore, { accountId, ...next });
  else if (before.changesAt !== next.changesAt)
    await tx.run(keepScore, { accountId, changesAt: next.changesAt });
}
