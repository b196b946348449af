import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { errorCode } from "../../db/errors.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { WriteQueue } from "../../db/sqlite/writes/write-queue.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const notes = { name: "0001_notes", sql: "CREATE TABLE notes (text TEXT NOT NULL) STRICT" };

/** A connection with a statement that fails once, as if the disk had failed. */
class FailingConnection extends Connection {
  readonly executed: string[] = [];
  isClosed = false;
  failure: { sql: string; code: string } | undefined;

  override execute(sql: string): void {
    this.executed.push(sql);
    const { failure } = this;
    if (failure?.sql === sql) {
      this.failure = undefined;
      throw Object.assign(new Error("the disk failed"), { code: failure.code });
    }
    super.execute(sql);
  }

  override close(): void {
    this.isClosed = true;
    super.close();
  }
}

/** A write queue on a database of notes, its connections, and a function that makes a statement fail. */
async function failingQueue() {
  const file = temporaryFile("notes.db");
  await openDatabase(file, { clock, canCreate: true, migrations: [notes] }).close();
  const connections: FailingConnection[] = [];
  const hooks = { beforeBatch: () => {}, beforeCommit: () => {}, afterCommit: () => {}, now: clock };
  const queue = new WriteQueue(() => {
    const connection = new FailingConnection(file, { busyTimeoutMilliseconds: 0 });
    connections.push(connection);
    return connection;
  }, hooks);
  const run = (sql: string) => connections.at(-1)?.client.run(sql);
  const reader = new Connection(file, { busyTimeoutMilliseconds: 0, isQueryOnly: true });
  return {
    file,
    queue,
    hooks,
    connections,
    run,
    /** Makes the next execution of the statement fail. */
    fail(sql: string, code: string) {
      const connection = connections.at(-1);
      if (connection) connection.failure = { sql, code };
    },
    note: (text: string, organizationId = 0) =>
      queue.push(organizationId, async () => void run(`INSERT INTO notes VALUES ('${text}')`)),
    seen: () =>
      reader.client
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY rowid")
        .all()
        .map(({ text }) => text),
  };
}

test.concurrent("a commit that fails with a disk error stores nothing, and the queue continues on a new connection", async () => {
  const { note, fail, seen, connections } = await failingQueue();
  await note("before");
  fail("COMMIT", "SQLITE_IOERR_FSYNC");
  // Of another organization: of the same one, it runs in a later batch if the first takes over 20 ms.
  const results = await Promise.allSettled([note("lost"), note("lost too", 1)]);
  for (const result of results)
    expect(result).toMatchObject({ status: "rejected", reason: { code: "SQLITE_IOERR_FSYNC" } });
  // The new connection overwrote the failed commit in the WAL.
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  await note("after");
  expect(seen()).toEqual(["before", "after"]);
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, false]);
});

test.concurrent("a commit that failed with a disk error is overwritten in the WAL", async () => {
  const { note, fail, file } = await failingQueue();
  expect(statSync(`${file}-wal`).size).toBe(0);
  fail("COMMIT", "SQLITE_IOERR_FSYNC");
  await expect(note("lost")).rejects.toMatchObject({ code: "SQLITE_IOERR_FSYNC" });
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
});

test.concurrent("after a failed commit, a file that replaced the database is not written", async () => {
  const { note, fail, hooks, connections, seen } = await failingQueue();
  fail("COMMIT", "SQLITE_IOERR_FSYNC");
  let batches = 0;
  hooks.beforeBatch = () => {
    batches += 1;
    if (batches === 2) throw new Error("gone");
  };
  await expect(note("lost")).rejects.toMatchObject({ code: "SQLITE_IOERR_FSYNC" });
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true]);
  await note("after");
  expect(seen()).toEqual(["after"]);
});

test.concurrent("if the failed commit cannot be overwritten, the new connection is closed too, and the queue opens another", async () => {
  const { note, fail, file, connections, seen } = await failingQueue();
  const other = new Connection(file, { busyTimeoutMilliseconds: 0 });
  fail("COMMIT", "SQLITE_IOERR_FSYNC");
  const lost = note("lost");
  const [failing] = connections;
  if (!failing) throw new Error("there is no connection");
  const close = failing.close.bind(failing);
  failing.close = () => {
    close();
    other.execute("BEGIN IMMEDIATE");
  };
  await expect(lost).rejects.toMatchObject({ code: "SQLITE_IOERR_FSYNC" });
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  other.execute("COMMIT");
  await note("after");
  expect(seen()).toEqual(["after"]);
  other.close();
});

test.concurrent("a commit that fails for another reason is rolled back, and the connection is used again", async () => {
  const { note, fail, seen, connections } = await failingQueue();
  fail("COMMIT", "SQLITE_CONSTRAINT_FOREIGNKEY");
  await expect(note("lost")).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_FOREIGNKEY" });
  expect(connections[0]?.client.inTransaction).toBe(false);
  await note("after");
  expect(seen()).toEqual(["after"]);
  expect(connections).toHaveLength(1);
});

test.concurrent("a connection whose rollback fails is closed", async () => {
  const { note, fail, seen, connections, run, queue } = await failingQueue();
  const torn = queue.push(0, async () => {
    run("INSERT INTO notes VALUES ('torn')");
    fail("ROLLBACK", "SQLITE_ERROR");
  });
  const hooked = connections[0];
  if (!hooked) throw new Error("there is no connection");
  const execute = hooked.execute.bind(hooked);
  hooked.execute = (sql) => {
    if (sql === "COMMIT") throw Object.assign(new Error("no commit"), { code: "SQLITE_ERROR" });
    execute(sql);
  };
  await expect(torn).rejects.toThrow("no commit");
  expect(hooked.isClosed).toBe(true);
  await note("after");
  expect(seen()).toEqual(["after"]);
});

test.concurrent("if SQLite rolls back the transaction during a change, the whole batch is rejected and nothing is stored", async () => {
  const { note, queue, run, seen } = await failingQueue();
  const ended = queue.push(0, async () => {
    run("ROLLBACK");
    throw Object.assign(new Error("disk full"), { code: "SQLITE_FULL" });
  });
  const results = await Promise.allSettled([note("a"), ended, note("b")]);
  for (const result of results)
    expect(result).toMatchObject({ status: "rejected", reason: { code: "SQLITE_FULL" } });
  expect(seen()).toEqual([]);
  await note("after");
  expect(seen()).toEqual(["after"]);
});

test.concurrent("a batch is rejected with the error of beforeBatch or beforeCommit, and the next batch is committed", async () => {
  for (const hook of ["beforeBatch", "beforeCommit"] as const) {
    const { note, hooks, seen } = await failingQueue();
    hooks[hook] = () => {
      throw new Error(`not at ${hook}`);
    };
    await expect(note("lost")).rejects.toThrow(`not at ${hook}`);
    hooks[hook] = () => {};
    await note("after");
    expect(seen()).toEqual(["after"]);
  }
});

test.concurrent.each(["SQLITE_IOERR_WRITE", "SQLITE_FULL", "SQLITE_BUSY", "SQLITE_LOCKED"])(
  "%s at the last checkpoint is no error: the WAL has the committed changes",
  async (code) => {
    const { queue, note, fail, connections, seen } = await failingQueue();
    await note("kept");
    fail("PRAGMA wal_checkpoint(TRUNCATE)", code);
    await queue.close();
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(seen()).toEqual(["kept"]);
  },
);

test.concurrent("another error at the last checkpoint is thrown, and the connection is closed", async () => {
  const { queue, fail, connections } = await failingQueue();
  fail("PRAGMA wal_checkpoint(TRUNCATE)", "SQLITE_ERROR");
  expect(errorCode(await queue.close().catch((error: unknown) => error))).toBe("SQLITE_ERROR");
  expect(connections.map(({ isClosed }) => isClosed)).toEqual([true]);
});
