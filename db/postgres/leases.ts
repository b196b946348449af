import { type RepairLease, repairLeaseSeconds } from "../engine.ts";
import type { Session } from "./connections/session.ts";

/** Longer than a round of jobs; with the pause between two rounds, another process takes over within 15 seconds. */
export const defaultLeaseSeconds = 12;
/** The part of its time after which the holder extends a lease: each extension is a flush of the server's log. */
const extendAfter = 1 / 3;

// While another process has the lease, the statement changes nothing: it has no transaction id.
const acquireLease = `insert into leases (name, holder, expires_at)
select $1, $2, clock_timestamp() + cast($3 as float8) * interval '1 second'
where not exists (select from leases where name = $1 and holder <> $2 and expires_at >= clock_timestamp())
on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
where leases.holder = excluded.holder or leases.expires_at < clock_timestamp()
returning holder`;
const extendLease = `update leases set expires_at = clock_timestamp() + cast($3 as float8) * interval '1 second'
where name = $1 and holder = $2 returning holder`;
const releaseLease = "delete from leases where name = $1 and holder = $2";

/** Resolves with whether the statement returned a row. Throws EngineBusy. */
async function query(session: Session, text: string, parameters: readonly string[]): Promise<boolean> {
  await session.connect();
  return (await session.query(text, parameters)).length > 0;
}

/** The lease of repairs, in a row of the database. */
export function repairLease(session: Session): RepairLease {
  const [name, seconds] = ["repairs", String(repairLeaseSeconds)];
  return {
    begin: (id) => query(session, acquireLease, [name, id, seconds]),
    extend: (id) => query(session, extendLease, [name, id, seconds]),
    end: async (id) => void (await query(session, releaseLease, [name, id])),
  };
}

/** A lease that at most one process has at a time. It expires by the clock of the database. */
export function createLease(session: Session, name: string, seconds = defaultLeaseSeconds) {
  const holder = crypto.randomUUID();
  /** By the monotonic clock. Until then, the process has the lease without a statement. */
  let extendAt = Number.NEGATIVE_INFINITY;
  return {
    /** Acquires the lease, or extends it in time; resolves with whether this process has it. Throws EngineBusy. */
    async acquire(): Promise<boolean> {
      const now = performance.now();
      if (now < extendAt) return true;
      const isAcquired = await query(session, acquireLease, [name, holder, String(seconds)]);
      if (isAcquired) extendAt = now + seconds * 1_000 * extendAfter;
      return isAcquired;
    },
    /** Releases the lease, so that another process can acquire it at once. */
    async release(): Promise<void> {
      if (session.isOpen) await session.query(releaseLease, [name, holder]).catch(() => {});
    },
  };
}
