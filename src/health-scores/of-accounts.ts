import { isInJson, textInput } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";
import { dayOf } from "../core/timestamps.ts";
import { activityFactsOf, activityFields } from "./facts.ts";
import { contactActivityOf, type Health } from "./score.ts";

const areAccounts = isInJson(accounts.id, textInput("accountIds"));
const activities = select("contactActivity.ofAccounts", {
  fields: { id: accounts.id, ...activityFields },
  from: accounts,
  where: areAccounts,
});
const storedScores = select("scores.ofAccounts", {
  fields: { id: accounts.id, score: accounts.score, tier: accounts.tier, coverage: accounts.coverage },
  from: accounts,
  where: areAccounts,
});

/** When a contact of each account was last active, by account id: from every source, up to the snapshot's time. */
export async function readContactActivities(
  snapshot: TenantSnapshot,
  ids: readonly number[],
): Promise<Map<number, Health["contactActivity"]>> {
  const { now } = snapshot;
  const rows = await snapshot.all(activities, {
    accountIds: JSON.stringify(ids),
    asOf: now,
    lastDay: dayOf(now),
  });
  return new Map(rows.map(({ id, ...row }) => [id, contactActivityOf(activityFactsOf(row, now))]));
}

/** The stored scores of accounts, by account id. */
export async function readStoredScores(
  snapshot: TenantSnapshot,
  ids: readonly number[],
): Promise<Map<number, Pick<Health, "score" | "tier" | "coverage">>> {
  const rows = await snapshot.all(storedScores, { accountIds: JSON.stringify(ids) });
  return new Map(rows.map(({ id, ...score }) => [id, score]));
}
