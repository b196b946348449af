import type { Engine, ReadHints, Snapshot, Transaction, Values, WriteOptions } from "../../../db/engine.ts";
import { isForeignKeyViolation } from "../../../db/errors.ts";
import type { Authorization, Follower, Followers } from "../changes/followers.ts";
import { tooBusy, unauthorized } from "../errors.ts";
import { type FileErasure, runErasure } from "../file-erasure.ts";
import { cursorKeyOf } from "../secrets.ts";
import { currentWork, waitForTurn } from "../turns.ts";
import type { Caller } from "./caller.ts";
import type { RequestTimes } from "./request-times.ts";
import type { TenantStatement } from "./statements.ts";
import { type Reaction, SnapshotInTurns, TenantSnapshot, TenantTransaction } from "./transaction.ts";
import { UniqueConflict } from "./unique-conflict.ts";

export type TenantServices = {
  engine: Engine;
  reactions: readonly Reaction[];
  /** Runs a job for an organization now. Resolves when it is done, or after a time limit. Never rejects. */
  runJob(organizationId: number, job: JobName): Promise<void>;
  /** Absent where no request can follow changes. */
  followers?: Followers;
  /** Stores, durably, that a person with these identifiers is erased. Absent where no backups are made. */
  recordErasure?: ((organizationId: number, identifiers: readonly string[]) => Promise<void>) | undefined;
};
/** The jobs that a request can start, to show their results. */
export type JobName = "scores" | "pending events";

export type LookUp<R> = { statement: TenantStatement<R>; values: Values };
type TenantWriteOptions = Omit<WriteOptions, "firstRead"> & { firstRead?: LookUp<unknown> | undefined };

/** The key of a caller, and when it was checked, in milliseconds since 1970 UTC. */
type CheckedAuthorization = Authorization & { checkedAt: number };

/** After this time a key is checked again before a write: a caller can send a body slowly, for any time. */
const maxAgeMilliseconds = 1_000;

/** One organization and one caller. The only access to the rows of an organization. */
export class Tenant {
  readonly caller: Caller;
  readonly organizationId: number;
  /** The signal of the HTTP request, which is aborted when its client disconnects. Set by the guard. */
  signal: (() => AbortSignal) | undefined;
  /** Whether the organization may make further large responses. Set by the guard. */
  hasRoom: (() => boolean) | undefined;
  /** Where the time of the HTTP request goes. Set by the guard. */
  times: RequestTimes | undefined;
  readonly #services: TenantServices;
  readonly #authorization: CheckedAuthorization | undefined;

  /** `authorization` is absent for callers without a key. */
  constructor(services: TenantServices, caller: Caller, authorization?: CheckedAuthorization) {
    this.#services = services;
    this.caller = caller;
    this.organizationId = caller.organizationId;
    this.#authorization = authorization;
  }

  /** Milliseconds since 1970 UTC, for checks of input before a transaction. */
  get now(): number {
    return this.#services.engine.now();
  }

  /** The time that decides what is too old, in milliseconds since 1970 UTC: it ignores a jump of the clock for 24 h. */
  get retentionTime(): number {
    return this.#services.engine.clock.retentionTime();
  }

  /** Runs `fn` on one consistent snapshot. `fn` awaits nothing but its own statements. */
  async read<T>(
    fn: (snapshot: TenantSnapshot) => Promise<T>,
    hints?: ReadHints,
    cursorKey?: string,
  ): Promise<T> {
    const work = currentWork();
    const begin = (snapshot: Snapshot) => {
      this.times?.end("queue");
      const OwnSnapshot = snapshot.isRemote ? SnapshotInTurns : TenantSnapshot;
      return fn(new OwnSnapshot(snapshot, this.organizationId, cursorKey));
    };
    this.times?.end("body");
    const result = await this.#services.engine.read(begin, {
      signal: this.signal,
      ...hints,
      organizationId: this.organizationId,
    });
    this.times?.end("database");
    // The caller makes the text of a response now. A read on this thread is part of the work that began before it.
    if (!work || currentWork() !== work) await waitForTurn(this.organizationId);
    return result;
  }

  /** `read` for a page of a list, which can be requested with a cursor. `ownKey` is for cursors that no caller gets. */
  async readList<T>(
    { cursor, ownKey, place, isOneStatement }: { cursor?: string | undefined; ownKey?: string } & ReadHints,
    fn: (snapshot: TenantSnapshot) => Promise<T>,
  ): Promise<T> {
    const cursorKey =
      cursor === undefined ? undefined : (ownKey ?? (await cursorKeyOf(this.#services.engine)));
    return this.read(fn, { place, isOneStatement }, cursorKey);
  }

  /** `read` for one statement, which needs no transaction. */
  readOne<T>(fn: (snapshot: TenantSnapshot) => Promise<T>): Promise<T> {
    return this.read(fn, { isOneStatement: true });
  }

  /**
   * Runs `fn` in a transaction; resolves after the commit is durable. `fn` awaits nothing but its own statements and
   * pauses, has no other effects, and may run twice. Throws what `fn` throws, the engine's errors, `too_busy` without a
   * statement when the organization has no room for a response, and `unauthorized` when the caller's key is not valid any
   * more, a second after it was checked, or the organization was deleted.
   */
  async write<T>(
    fn: (tx: TenantTransaction) => Promise<T>,
    { firstRead, ...options }: TenantWriteOptions = {},
  ): Promise<T> {
    const { engine, reactions } = this.#services;
    this.#assertRoom();
    const checkedAt = this.#authorization?.checkedAt;
    if (checkedAt !== undefined && Math.abs(this.now - checkedAt) > maxAgeMilliseconds)
      await this.#assertAuthorized();
    const { organizationId } = this;
    const run = async (transaction: Transaction) => {
      // The response to a write is not refused once the write is stored. It may have waited.
      this.#assertRoom();
      this.times?.end("queue");
      const tx = new TenantTransaction(transaction, this.caller, reactions, engine.clock);
      const result = await fn(tx);
      await tx.writeLate();
      return result;
    };
    this.times?.end("body");
    try {
      const result = await engine.write(organizationId, run, {
        ...options,
        ...(firstRead && {
          firstRead: {
            statement: firstRead.statement.statement,
            values: { ...firstRead.values, organizationId },
          },
        }),
      });
      this.times?.end("database");
      // One commit ends the writes of many requests.
      await waitForTurn(organizationId);
      return result;
    } catch (error) {
      if (isForeignKeyViolation(error)) await this.#assertAuthorized();
      throw error instanceof UniqueConflict ? await this.read(error.find) : error;
    }
  }

  /** Throws `too_busy` while the organization may not make further large responses. */
  #assertRoom(): void {
    if (this.hasRoom?.() === false) throw tooBusy();
  }

  /** Checks the key of the caller again. Throws `unauthorized`. */
  async #assertAuthorized(): Promise<void> {
    if (this.#authorization && !(await this.#authorization.isValid())) throw unauthorized();
  }

  /** Runs a change of many transactions, as `core/long-changes.ts`, which erases what its rows left in the file. */
  runErasure<T>(run: (erasure: FileErasure) => Promise<T>): Promise<T> {
    return runErasure(this.#services.engine, this.organizationId, run);
  }

  /** Stores that a person with these identifiers is erased, for a restore of a backup. */
  async recordErasure(identifiers: Iterable<string>): Promise<void> {
    await this.#services.recordErasure?.(this.organizationId, [...identifiers]);
  }

  /**
   * Begins to follow the changes of the organization, until the client of the request disconnects. Throws
   * `too_many_streams`.
   */
  follow(): Follower {
    const { followers } = this.#services;
    if (!(followers && this.#authorization)) throw new Error("this caller cannot follow changes");
    const follower = followers.begin(this.organizationId, this.#authorization);
    const signal = this.signal?.();
    if (signal?.aborted) follower.end();
    signal?.addEventListener("abort", () => follower.end(), { once: true });
    return follower;
  }

  /** Runs a job for this organization, so that a read shows its results. */
  runJob(job: JobName): Promise<void> {
    return this.#services.runJob(this.organizationId, job);
  }
}
