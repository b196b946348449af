import { asc, gt, lte, max } from "drizzle-orm";
import { accountHealth, accounts, events, healthProgress } from "../../db/schema.ts";
import { excluded, inputs, integerInput } from "../../db/statements.ts";
import { insert, type OwnRows, type OwnWriter, select, type Tenant } from "../tenant.ts";
import { readInputs } from "./inputs.ts";
import { changesAt, healthOf } from "./score.ts";

/** How many scores one transaction works out, and how many events it looks through: some milliseconds of the writer's time. */
const step = 200;
const eventStep = 2_000;
/** The rank of an account without a score. */
const unscored = 101;

const progressOf = select({
  fields: { lastEventId: healthProgress.lastEventId, lastAccountId: healthProgress.lastAccountId },
  from: healthProgress,
});
const lastIds = {
  event: select({ fields: { id: max(events.id) }, from: events }),
  account: select({ fields: { id: max(accounts.id) }, from: accounts }),
};
const overdue = select({
  fields: { accountId: accountHealth.accountId },
  from: accountHealth,
  where: lte(accountHealth.changesAt, integerInput("now")),
  orderBy: [asc(accountHealth.changesAt)],
  paged: true,
});
const newAccounts = select({
  fields: { accountId: accounts.id },
  from: accounts,
  where: gt(accounts.id, integerInput("lastId")),
  orderBy: [asc(accounts.id)],
  paged: true,
});
const newEvents = select({
  fields: { id: events.id, accountId: events.accountId },
  from: events,
  where: gt(events.id, integerInput("lastId")),
  orderBy: [asc(events.id)],
  paged: true,
});
const saveProgress = insert({
  into: healthProgress,
  values: inputs("lastEventId", "lastAccountId"),
  onConflict: {
    target: [healthProgress.organizationId],
    set: {
      lastEventId: excluded(healthProgress.lastEventId),
      lastAccountId: excluded(healthProgress.lastAccountId),
    },
  },
});
const columns = ["score", "tier", "coverage", "rank", "mrr", "foldedName", "changesAt"] as const;
const saveHealth = insert({
  into: accountHealth,
  values: inputs("accountId", ...columns),
  onConflict: {
    target: [accountHealth.organizationId, accountHealth.accountId],
    set: Object.fromEntries(columns.map((name) => [name, excluded(accountHealth[name])])),
  },
});

/**
 * Works out the scores that no longer hold, some of them, in one transaction: those of new accounts, of
 * accounts with new events, and of accounts that changed or whose time has come. Returns whether there may be
 * more.
 */
export async function refreshHealth(tenant: Tenant): Promise<boolean> {
  if (!(await isBehind(tenant.rows, tenant.now))) return false;
  return tenant.write(async (rows) => {
    const progress = (await rows.first(progressOf, {})) ?? nowhere;
    const asked = { limit: step, offset: 0 };
    const added = await rows.all(newAccounts, { ...asked, lastId: progress.lastAccountId });
    const due = await rows.all(overdue, { ...asked, now: tenant.now });
    const sent = await rows.all(newEvents, { ...asked, limit: eventStep, lastId: progress.lastEventId });
    const accountIds = new Set([...added, ...due].map(({ accountId }) => accountId));
    const lastAccountId = added.at(-1)?.accountId ?? progress.lastAccountId;
    let { lastEventId } = progress;
    for (const { id, accountId } of sent) {
      if (accountIds.size >= 2 * step) break;
      // An account that is new has no score that could be wrong.
      if (accountId !== null && accountId <= lastAccountId) accountIds.add(accountId);
      lastEventId = id;
    }
    for (const accountId of accountIds) await workOut(rows, accountId, tenant.now);
    await rows.run(saveProgress, { lastEventId, lastAccountId });
    return true;
  });
}

const nowhere = { lastEventId: 0, lastAccountId: 0 };

async function isBehind(rows: OwnRows, now: number): Promise<boolean> {
  const progress = (await rows.first(progressOf, {})) ?? nowhere;
  if (((await rows.first(lastIds.account, {}))?.id ?? 0) > progress.lastAccountId) return true;
  if (((await rows.first(lastIds.event, {}))?.id ?? 0) > progress.lastEventId) return true;
  return (await rows.all(overdue, { now, limit: 1, offset: 0 })).length > 0;
}

async function workOut(rows: OwnWriter, accountId: number, now: number): Promise<void> {
  const known = await readInputs(rows, accountId, now);
  if (!known) return;
  const { score, tier, coverage } = healthOf(known, now);
  const { mrr, foldedName } = known;
  const rank = score ?? unscored;
  const values = { score, tier, coverage, rank, mrr, foldedName, changesAt: changesAt(known, now) };
  await rows.run(saveHealth, { accountId, ...values });
}
