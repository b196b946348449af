import { EngineBusy, OutcomeUnknown } from "../../errors.ts";
import type { Session } from "../connections/session.ts";

/** Limits for reading the outcome of a commit whose reply was lost, and for that and the commit together. */
const maxAskMilliseconds = 4_000;
const maxCommitMilliseconds = 7_500;

/** The server has rolled back instead of committing, because a statement had failed. */
export class RolledBack extends Error {}

/**
 * The number of the last stored batch of a lane, in a row that only this lane changes. A transaction id cannot be used:
 * after a crash PostgreSQL reuses ids.
 */
export class BatchRecord {
  readonly #laneId = crypto.randomUUID();
  #number = 0;

  /** Numbers a new batch. Returns the inputs of `storeNumber`, with which its caller stores the number. */
  next(): readonly string[] {
    this.#number += 1;
    return [this.#laneId, String(this.#number)];
  }

  /** Removes the records of lanes that are not used any more, in the transaction of the first batch. */
  async removeOld(session: Session): Promise<void> {
    if (this.#number === 1) await session.query(removeOld, []);
  }

  /**
   * Commits the last batch. Throws EngineBusy or RolledBack when nothing was stored, and OutcomeUnknown when that cannot be
   * found out.
   */
  async commit(session: Session): Promise<void> {
    const sentAt = performance.now();
    try {
      const command = await session.command((sql) => sql`commit`);
      if (command !== "COMMIT") throw new RolledBack("a write did not await a statement, which failed");
    } catch (error) {
      if (!(error instanceof EngineBusy)) throw error;
      const until = Math.min(performance.now() + maxAskMilliseconds, sentAt + maxCommitMilliseconds);
      if (!(await this.isStored(session, until))) throw error;
    }
  }

  /**
   * Whether the last batch was stored; waits for the end of its transaction, which may still run on the server. `until`
   * is a time of `performance.now()`. Throws OutcomeUnknown without an answer until then.
   */
  async isStored(session: Session, until: number): Promise<boolean> {
    const deadline = setTimeout(() => session.discard(), until - performance.now());
    try {
      while (performance.now() < until)
        try {
          await session.connect();
          const [row] = await session.query(readNumber, [this.#laneId]);
          return Number(row?.[0]) === this.#number;
        } catch {
          // The server may be starting again.
          await Bun.sleep(50);
        }
    } finally {
      clearTimeout(deadline);
    }
    throw new OutcomeUnknown("The connection was lost during the commit: the change may be stored.");
  }
}

const removeOld = `delete from write_lanes where lane in (
  select lane from write_lanes where updated_at < now() - interval '30 days' for update skip locked)`;
/** The statement that stores the number of a batch, as a part of another one whose first inputs are its own. */
export const storeNumber = `insert into write_lanes (lane, last_batch) values (cast($1 as uuid), cast($2 as bigint))
on conflict (lane) do update set last_batch = excluded.last_batch, updated_at = now()`;
/** An update that changes nothing: a plain read would not wait for a transaction that has locked the row. */
const readNumber = `insert into write_lanes (lane, last_batch) values (cast($1 as uuid), 0)
on conflict (lane) do update set last_batch = write_lanes.last_batch returning last_batch`;
