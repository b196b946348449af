import type { Session } from "../connections/session.ts";

/**
 * The first transaction that was not finished, and the organizations whose locks were taken by a transaction from $1 on;
 * all without $1, and after another start of the server than $2. Every write of an organization updates its lock.
 */
const readWritten = `select cast(pg_snapshot_xmin(pg_current_snapshot()) as text), array_to_string(array(
  select organization_id from organization_locks
  where coalesce(age(xmin) <= age(xid(
    case when cast(extract(epoch from pg_postmaster_start_time()) as text) = $2 then cast($1 as xid8) end
  )), true)
), ','), cast(extract(epoch from pg_postmaster_start_time()) as text)`;

/** The organizations to which any process has written, each reported at least once after the commit. */
export class WrittenOrganizations {
  readonly #session: Session;
  /** The transaction from which on the next call reports. */
  #since: string | null = null;
  /** The start of the server. After a crash or a failover, ids of transactions from before are used again. */
  #serverStart: string | null = null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The organizations that were written to since the last call; all at the first one. Throws EngineBusy. */
  async take(): Promise<number[]> {
    await this.#session.connect();
    const [row] = await this.#session.query(readWritten, [this.#since, this.#serverStart]);
    if (!row) throw new Error("the statement has one row");
    const [next, ids, serverStart] = row;
    this.#since = String(next);
    this.#serverStart = String(serverStart);
    return ids ? String(ids).split(",").map(Number) : [];
  }
}
