import { minJumpMilliseconds } from "../../clock.ts";
import { QueryTimeout } from "../../errors.ts";
import type { Session } from "../connections/session.ts";
import { storeNumber } from "./batch-record.ts";
import { usedRareTables } from "./rare-tables.ts";

/** The time of the transaction in an organization, and what is read of the organization with its lock. */
export type LockedOrganization = {
  now: number;
  /** The number of the organization's last change. */
  lastSequence: number;
  /** The rare tables that have rows of the organization. */
  rareTables: Set<unknown>;
};
/** The organizations that a transaction has locked, by their ids. */
export type Locks = ReadonlyMap<number, LockedOrganization>;

/** `ids` are in ascending order. `batch`: the inputs of `storeNumber`. */
type LockRequest = { ids: readonly number[]; now: number; batch: readonly string[] };

/** How long a batch waits for organizations that other transactions have locked: its lane waits, too. */
const maxWaitMilliseconds = 100;

/**
 * Locks the organizations that no other transaction has locked, until the transaction ends. Its time is never earlier
 * than the time of the organization's last transaction.
 */
export function lockFree(session: Session, request: LockRequest): Promise<Locks> {
  return lock(session, lockFreeRows, request);
}

/**
 * Waits for the locks of all organizations for at most 0.1 s. Resolves with none of them when that was not enough: then
 * the transaction has failed. It must have no other lock, so that two transactions cannot wait for each other.
 */
export async function lockAll(session: Session, request: LockRequest): Promise<Locks> {
  try {
    return await session.withStatementLimit(maxWaitMilliseconds, async () => {
      const added = session.query(addRows, [`{${request.ids}}`]);
      const [locks] = await Promise.all([lock(session, lockRows, request), added]);
      return locks;
    });
  } catch (error) {
    if (error instanceof QueryTimeout) return new Map();
    throw error;
  }
}

async function lock(session: Session, text: string, { ids, now, batch }: LockRequest): Promise<Locks> {
  const array = `{${ids}}`;
  // The second statement sees what was committed before the lock was given.
  const [locked, organizations] = await Promise.all([
    session.query(text, [...batch, array, String(now)]),
    session.query(readOrganizations, [array]),
  ]);
  const stored = new Map(
    organizations.map(([id, sequence, ...tables]) => [
      Number(id),
      { lastSequence: Number(sequence ?? 0), rareTables: new Set(tables) },
    ]),
  );
  return new Map(
    locked.map(([id, time]) => {
      const { lastSequence = 0, rareTables = new Set() } = stored.get(Number(id)) ?? {};
      return [Number(id), { now: Number(time), lastSequence, rareTables }];
    }),
  );
}

/**
 * Stores the number of the batch. Locks the rows in the order of the ids, and only then updates them. A time that is ahead
 * of the clock by a jump is replaced: the clock was set back. The planner does not see how many ids there are: for few, it
 * would plan at each execution.
 */
const lockRows = `with batch as (${storeNumber}), locked as materialized (
  select organization_id from organization_locks
  where organization_id = any(array(select unnest(cast($3 as bigint[])))) order by organization_id for no key update
)
update organization_locks as lock set last_transaction_at = case
    when lock.last_transaction_at between cast($4 as bigint) and cast($4 as bigint) + ${minJumpMilliseconds}
    then lock.last_transaction_at else cast($4 as bigint) end
from locked where lock.organization_id = locked.organization_id
returning lock.organization_id, lock.last_transaction_at`;
const lockFreeRows = lockRows.replace("for no key update", "for no key update skip locked");
/** Planned at each execution: a plan from the time when `changes` was small may read and sort all changes. */
const readOrganizations = `select locked.id, (
  select sequence from changes where organization_id = locked.id order by sequence desc limit 1
), ${usedRareTables} from unnest(cast($1 as bigint[])) as locked (id)`;
const addRows = `insert into organization_locks (organization_id, last_transaction_at)
select id, 0 from unnest(cast($1 as bigint[])) as added (id) order by id on conflict do nothing`;
