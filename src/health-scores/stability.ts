import type { Tenant } from "../core/tenant.ts";
import { dayOf } from "../core/timestamps.ts";
import { trendDays } from "./score.ts";

/** For how long, and for how many more events, accounts' scores stay as they are. */
export type Steady = Map<number, { until: number; events: number }>;

/** Those of each organization, as of the last event that counts in them. */
type Remembered = Map<number, { lastEventId: number; steady: Steady }>;
const remembered = new WeakMap<object, Remembered>();
/** So many accounts of all organizations, at some hundred bytes each. */
const mostRemembered = 200_000;

/**
 * What is remembered of the organization's scores, when it is of this event, and else nothing: a transaction
 * that fails leaves the stored progress behind what it remembers, or nothing remembered.
 */
export function takeSteady({ database, organizationId }: Tenant, lastEventId: number): Steady {
  const known = remembered.get(database)?.get(organizationId);
  remembered.get(database)?.delete(organizationId);
  return known?.lastEventId === lastEventId ? known.steady : new Map();
}

/** Remembers it up to the next transaction that works scores out. */
export function keepSteady({ database, organizationId }: Tenant, lastEventId: number, steady: Steady): void {
  const all: Remembered = remembered.get(database) ?? new Map();
  const size = all.values().reduce((sum, one) => sum + one.steady.size, steady.size);
  if (size > mostRemembered) all.clear();
  else all.set(organizationId, { lastEventId, steady });
  remembered.set(database, all);
}

/** Whether an event leaves its account's score as it is; one that does is counted. */
export function isSteady(steady: Steady, accountId: number, at: number, now: number): boolean {
  const known = steady.get(accountId);
  if (!known || now >= known.until || known.events === 0 || dayOf(at) <= dayOf(now) - trendDays) return false;
  known.events -= 1;
  return true;
}
