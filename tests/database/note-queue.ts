import { Database } from "bun:sqlite";
import { afterEach } from "bun:test";
import type { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { openWriteConnection } from "../../db/sqlite/file.ts";
import { WriteQueue } from "../../db/sqlite/writes/write-queue.ts";
import { FakeTimer } from "../support/fake-timer.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

const notes = {
  name: "0001_notes",
  sql: `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE replies (note_id INTEGER NOT NULL REFERENCES notes (id)) STRICT;`,
};

const opened: Database[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

/** A connection of another program. */
function openOther(file: string): Database {
  const client = new Database(file, { readwrite: true, create: false });
  opened.push(client);
  return client;
}

/** A write queue on a database of notes, with a fake timer, what its hooks were called with, and another connection. */
export async function noteQueue() {
  const file = temporaryFile("notes.db");
  await openDatabase(file, { clock, canCreate: true, migrations: [notes] }).close();
  let connection: Connection | undefined;
  const timer = new FakeTimer();
  /** `reported` commits were successful. */
  const counted = { connections: 0, commits: 0, reported: 0 };
  const queue = new WriteQueue(
    () => {
      counted.connections += 1;
      connection = openWriteConnection(file, { busyTimeoutMilliseconds: 0 });
      opened.push(connection.client);
      return connection;
    },
    {
      beforeBatch: () => {},
      beforeCommit: () => {
        counted.commits += 1;
      },
      afterCommit: () => {
        counted.reported += 1;
      },
      now: clock,
    },
    { timer },
  );
  const other = openOther(file);
  const run = (sql: string) => connection?.client.run(sql);
  return {
    file,
    queue,
    timer,
    counted,
    other,
    run,
    note: (text: string) => queue.push(0, async () => run(`INSERT INTO notes (text) VALUES ('${text}')`)),
    /** The texts that the other connection reads. */
    seen: () =>
      other
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY id")
        .all()
        .map(({ text }) => text),
    /** A change that makes the commit of its batch fail. */
    dangling: () =>
      queue.push(0, async () => {
        run("PRAGMA defer_foreign_keys = ON");
        run("INSERT INTO replies (note_id) VALUES (0)");
      }),
  };
}
