import type { Engine, Snapshot, Transaction } from "../../db/engine.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { Connection } from "../../db/sqlite/connection.ts";

/** Thrown to roll back the first of two runs. */
class RolledBack extends Error {}

/**
 * An engine like PostgreSQL's: every statement takes a turn of the event loop, every read has its own snapshot on its
 * own connection, and every `fn` runs twice, the first time without effect.
 */
export function slowEngine(engine: Engine, file: string): Engine {
  const idle: Connection[] = [];
  let isClosed = false;

  async function read<T>(fn: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    // Throws the error of the real engine when the file was removed.
    await engine.ping();
    const connection = idle.pop() ?? openReader(file);
    connection.execute("BEGIN");
    // The snapshot of a deferred transaction begins with its first read.
    connection.execute("SELECT count(*) FROM sqlite_schema");
    try {
      const snapshot: Snapshot = {
        now: engine.now(),
        first: async (statement, values) => {
          await yieldToEventLoop();
          return connection.first(statement, values);
        },
        all: async (statement, values) => {
          await yieldToEventLoop();
          return connection.all(statement, values);
        },
      };
      await fn(snapshot).catch(() => {});
      return await fn(snapshot);
    } finally {
      connection.execute("COMMIT");
      if (isClosed) connection.close();
      else idle.push(connection);
    }
  }

  return {
    clock: engine.clock,
    now: () => engine.now(),
    read,
    lookUp: read,
    async write(organizationId, fn, options) {
      const rehearsal = engine.write(organizationId, async (tx) => {
        await fn(slow(tx));
        throw new RolledBack();
      });
      await rehearsal.catch(() => {});
      return engine.write(organizationId, (tx) => fn(slow(tx)), options);
    },
    leaseJobs: () => engine.leaseJobs(),
    repairs: engine.repairs,
    watchWrites: (listener, options) => engine.watchWrites(listener, options),
    eraseDeleted: (maxBlockedMilliseconds) => engine.eraseDeleted(maxBlockedMilliseconds),
    state: () => engine.state(),
    readSize: () => engine.readSize(),
    probeWrite: () => engine.probeWrite(),
    ping: () => engine.ping(),
    async close() {
      isClosed = true;
      for (const connection of idle.splice(0)) connection.close();
      await engine.close();
    },
  };
}

/** A connection that returns rows in another order where a statement has no ORDER BY. */
function openReader(file: string): Connection {
  const connection = new Connection(file, { busyTimeoutMilliseconds: 250, isQueryOnly: true });
  connection.client.run("PRAGMA reverse_unordered_selects = ON");
  return connection;
}

/** The transaction, as PostgreSQL has it: a turn for each statement, and none succeeds after one that failed. */
function slow(tx: Transaction): Transaction {
  let isAborted = false;

  async function inTurn<T>(statement: () => Promise<T>): Promise<T> {
    await yieldToEventLoop();
    if (isAborted) throw new Error("the transaction was aborted by a statement that failed");
    try {
      return await statement();
    } catch (error) {
      isAborted = true;
      throw error;
    }
  }

  return {
    now: tx.now,
    first: (statement, values) => inTurn(() => tx.first(statement, values)),
    all: (statement, values) => inTurn(() => tx.all(statement, values)),
    findRare: (statement, values) => inTurn(() => tx.findRare(statement, values)),
    allRare: (statement, values) => inTurn(() => tx.allRare(statement, values)),
    run: (statement, values) => inTurn(() => tx.run(statement, values)),
    count: (statement, values) => inTurn(() => tx.count(statement, values)),
    insert: (statement, values) => inTurn(() => tx.insert(statement, values)),
    insertAll: (statement, rows) => inTurn(() => tx.insertAll(statement, rows)),
    attempt: (work) => tx.attempt(() => work().finally(() => (isAborted = false))),
    nextSequence: (organizationId) => inTurn(() => tx.nextSequence(organizationId)),
    pause: () => tx.pause(),
  };
}
