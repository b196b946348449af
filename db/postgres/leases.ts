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

/** The lease of repairs, in a row of the database. */
export function repairLease(session: Session): RepairLease {
  const query = async (text: string, id: string, ...values: string[]) => {
    await session.connect();
    return (await session.query(text, ["repairs", id, ...values])).length > 0;
  };
  const seconds = String(repairLeaseSeconds);
  return {
    begin: (id) => query(acquireLease, id, seconds),
    extend: (id) => query(extendLease, id, seconds),
    end: async (id) => void (await query(releaseLease, id)),
  };
}

/** A lease that at most one process has at a time. It expires by the clock of the database. */
export class Lease {
  readonly #session: Session;
  readonly #name: string;
  readonly #seconds: number;
  readonly #holder = crypto.randomUUID();
  /** By the monotonic clock. Until then, the process has the lease without a statement. */
  #extendAt = Number.NEGATIVE_INFINITY;

  constructor(session: Session, name: string, seconds = defaultLeaseSeconds) {
    this.#session = session;
    this.#name = name;
    this.#seconds = seconds;
  }

  /** Acquires the lease, or extends it in time; resolves with whether this process has it. Throws EngineBusy. */
  async acquire(): Promise<boolean> {
    const now = performance.now();
    if (now < this.#extendAt) return true;
    await this.#session.connect();
    const rows = await this.#session.query(acquireLease, [this.#name, this.#holder, String(this.#seconds)]);
    if (rows.length > 0) this.#extendAt = now + this.#seconds * 1_000 * extendAfter;
    return rows.length > 0;
  }

  /** Releases the lease, so that another process can acquire it at once. */
  async release(): Promise<void> {
    if (this.#session.isOpen)
      await this.#session.query(releaseLease, [this.#name, this.#holder]).catch(() => {});
  }
}
