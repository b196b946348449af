import { EngineBusy, QueryTimeout } from "../errors.ts";
import type { Session } from "./session.ts";

/** A transaction that is so much later than the clock follows the clock: the clock was set back. */
const maxAheadMilliseconds = 3_600_000;

/**
 * Locks organizations, whose ids are in ascending order, until the transaction ends. Resolves with the time of the
 * transaction in each of them: never earlier than its last transaction. Throws EngineBusy after the lock timeout.
 */
export async function lockOrganizations(
  session: Session,
  ids: readonly number[],
  now: number,
): Promise<Map<number, number>> {
  const lock = () => session.query(lockRows, [`{${ids}}`, String(now)]);
  try {
    let locked: unknown[][] = await lock();
    if (locked.length < ids.length) {
      await session.query(addRows, [`{${ids}}`]);
      locked = await lock();
    }
    if (locked.length < ids.length) throw new EngineBusy("The lock of an organization was removed.");
    return new Map(locked.map(([id, time]) => [Number(id), Number(time)]));
  } catch (error) {
    // Each of several rows may take the lock timeout.
    if (error instanceof QueryTimeout) throw new EngineBusy("An organization is locked for too long.");
    throw error;
  }
}

/** Locks the rows in the order of the ids, and only then updates them. */
const lockRows = `with locked as materialized (
  select organization_id from organization_locks
  where organization_id = any(cast($1 as bigint[])) order by organization_id for no key update
)
update organization_locks as own set last_transaction_at = case
    when own.last_transaction_at between cast($2 as bigint) and cast($2 as bigint) + ${maxAheadMilliseconds}
    then own.last_transaction_at else cast($2 as bigint) end
from locked where own.organization_id = locked.organization_id
returning own.organization_id, own.last_transaction_at`;
const addRows = `insert into organization_locks (organization_id, last_transaction_at)
select id, 0 from unnest(cast($1 as bigint[])) as added (id) order by id on conflict do nothing`;
