import { SQL } from "bun";
import { type PostgresGround, query } from "./postgres-ground.ts";
import { type RestoredTime, storedMarks, WriteLedger } from "./write-ledger.ts";
import { Writer } from "./writer.ts";

const maxRecoveryMilliseconds = 2_000;
const defaultMaxMilliseconds = 5_000;
/** How much longer a recovery is awaited, to report its time. */
const graceMilliseconds = 2_000;
const hopelessMilliseconds = 10_000;
const maxIdleSeconds = 5;
/** Queries of inconsistent rows, which must be empty at any time between two transactions. */
const inconsistencies: Record<string, string> = {
  "a change log with a gap": `select organization_id, min(sequence), max(sequence), count(*) from changes
    group by 1 having min(sequence) <> 1 or max(sequence) <> count(*)`,
  "a row that is not as its last change left it": `select c.resource, c.resource_id, r.id, r.name, c.name from (
      select organization_id, 'account' as resource, id, name from accounts
      union all select organization_id, 'contact', id, name from contacts
      union all select organization_id, 'meeting', id, title from meetings
      union all select organization_id, 'request', id, title from requests
    ) as r full join (
      select distinct on (organization_id, resource, resource_id) organization_id, resource, resource_id,
        coalesce(after::json->>'name', after::json->>'title') as name
      from changes where action <> 'health_changed'
      order by organization_id, resource, resource_id, sequence desc
    ) as c on (c.organization_id, c.resource, c.resource_id) = (r.organization_id, r.resource, r.id)
    where r.name is distinct from c.name`,
};

/** A writer of every organization on every copy, and a watch of the transactions that no statement runs in. */
export class PostgresLoad {
  readonly ledger = new WriteLedger();
  /** The milliseconds within which every request has a reply. */
  maxMilliseconds = defaultMaxMilliseconds;
  readonly #ground: PostgresGround;
  readonly #writers: Writer[][];
  #running: Promise<unknown> | undefined;
  #isOver = false;
  #longestIdleSeconds = 0;

  /**
   * `copies` are the addresses of the copies; undefined while one does not run. The texts of the writes begin with
   * `prefix`.
   */
  constructor(ground: PostgresGround, copies: readonly (() => string | undefined)[], prefix = "w") {
    this.#ground = ground;
    const { ledger } = this;
    this.#writers = copies.map((address, copy) =>
      ground.keys.map((key, i) => {
        const name = `${prefix}${copy}-${i}`;
        return new Writer({
          name,
          key,
          address,
          ledger,
          isOver: () => this.#isOver,
          maxMilliseconds: () => this.maxMilliseconds,
        });
      }),
    );
  }

  get slowestMilliseconds(): number {
    return Math.max(...this.#writers.flat().map(({ slowestMilliseconds }) => slowestMilliseconds));
  }

  /** The number of replies with this code of an error. */
  refusedCount(code: string): number {
    return this.#writers.flat().reduce((sum, { refusedCodes }) => sum + (refusedCodes[code] ?? 0), 0);
  }

  start(): void {
    this.#isOver = false;
    this.#running = Promise.all([...this.#writers.flat().map((writer) => writer.run()), this.#watch()]);
  }

  /** Resolves when this many more writes are acknowledged. Throws after 10 s. */
  async acknowledge(count: number): Promise<void> {
    const [target, startedAt] = [this.ledger.acknowledged + count, performance.now()];
    while (this.ledger.acknowledged < target) {
      if (performance.now() - startedAt > hopelessMilliseconds)
        throw new Error(`fewer than ${count} writes were acknowledged: ${this.#describe()}`);
      await Bun.sleep(5);
    }
  }

  /** Waits for an acknowledged write of each writer of the copies; too late is a fault. Resolves with the milliseconds. */
  async recover(event: string, copies: readonly number[], max = maxRecoveryMilliseconds): Promise<number> {
    const since = performance.now();
    const writers = copies.flatMap((copy) => this.#writers[copy] ?? []);
    const isWaiting = () => writers.some(({ acknowledgedAt }) => acknowledgedAt < since);
    while (isWaiting() && performance.now() - since < max + graceMilliseconds) await Bun.sleep(5);
    const took = performance.now() - since;
    if (took > max)
      this.ledger.faults.push(`${event}: writes succeed after ${Math.round(took)} ms, ${this.#describe()}`);
    return took;
  }

  /** Ends the writers. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Ends the writers, and adds the faults of the whole run so far to those of the ledger. */
  async end(): Promise<void> {
    await this.stop();
    const { faults } = this.ledger;
    await this.compare(this.#ground.adminUrl());
    if (this.#longestIdleSeconds > maxIdleSeconds)
      faults.push(`a connection was idle in a transaction for ${this.#longestIdleSeconds} s`);
    faults.push(...(await this.#ground.check()));
  }

  /** Adds the faults of the rows of a database, or of its backup, to those of the ledger. */
  async compare(url: string, restored?: RestoredTime): Promise<void> {
    this.ledger.compare(await query(url, storedMarks("json")), restored);
    for (const [name, text] of Object.entries(inconsistencies)) {
      const rows = await query(url, text);
      if (rows.length > 0)
        this.ledger.faults.push(`${name}, ${rows.length} times: ${JSON.stringify(rows[0])}`);
    }
  }

  #describe(): string {
    const codes: Record<string, number> = {};
    for (const { refusedCodes } of this.#writers.flat())
      for (const [code, count] of Object.entries(refusedCodes)) codes[code] = (codes[code] ?? 0) + count;
    return `${this.ledger.acknowledged} acknowledged, replies ${JSON.stringify(codes)}`;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const sql = new SQL({ url: this.#ground.adminUrl(), max: 1, connectionTimeout: 2 });
      try {
        while (!this.#isOver) {
          const [{ seconds }] =
            await sql`select coalesce(extract(epoch from max(clock_timestamp() - state_change)), 0)::float8 as seconds
            from pg_stat_activity where state like 'idle in transaction%' and application_name = 'accountd'`;
          this.#longestIdleSeconds = Math.max(this.#longestIdleSeconds, seconds);
          await Bun.sleep(100);
        }
      } catch {
        // The server does not run.
        await Bun.sleep(50);
      } finally {
        await sql.close({ timeout: 0 });
      }
    }
  }
}
