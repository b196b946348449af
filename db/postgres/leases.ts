import { randomUUID } from "node:crypto";
import type { Session } from "./session.ts";

/** Longer than a round of jobs; with the pause between two rounds, another copy takes over within 15 seconds. */
const leaseSeconds = 12;

const take = `insert into leases (name, holder, expires_at)
values ($1, $2, clock_timestamp() + interval '${leaseSeconds} seconds')
on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
where leases.holder = excluded.holder or leases.expires_at < clock_timestamp()
returning holder`;
const drop = "delete from leases where name = $1 and holder = $2";

/** A lease that one process has at a time, by the clock of the database. */
export class Lease {
  readonly #session: Session;
  readonly #name: string;
  readonly #holder = randomUUID();

  constructor(session: Session, name: string) {
    this.#session = session;
    this.#name = name;
  }

  /** Takes or extends the lease; resolves with whether this process has it. Throws EngineBusy. */
  async take(): Promise<boolean> {
    await this.#session.connect();
    const rows = await this.#session.query(take, [this.#name, this.#holder]);
    return rows.length > 0;
  }

  /** Ends the lease, so that another process can have it at once. */
  async drop(): Promise<void> {
    if (this.#session.isOpen) await this.#session.query(drop, [this.#name, this.#holder]).catch(() => {});
  }
}
