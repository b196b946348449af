import { Database } from "bun:sqlite";
import { afterEach } from "bun:test";
import type { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { openWriteConnection } from "../../db/sqlite/file.ts";
import { WriteQueue } from "../../db/sqlite/write-queue.ts";
import { temporaryFile } from "../support/world.ts";

const notes = {
  name: "0001_notes",
  sql: `CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE replies (note_id INTEGER NOT NULL REFERENCES notes (id)) STRICT;`,
};

const opened: Database[] = [];
afterEach(() => {
  for (const client of opened.splice(0)) client.close();
});

/** Another program's connection to the file. */
function besides(file: string): Database {
  const client = new Database(file, { readwrite: true, create: false });
  opened.push(client);
  return client;
}

/** A write queue on a database of notes, which counts its commits, and what another connection reads. */
export async function noteQueue() {
  const file = temporaryFile("notes.db");
  await openDatabase(file, { now: 0, create: true, migrations: [notes] }).close();
  let connection: Connection | undefined;
  const counted = { connections: 0, commits: 0 };
  const queue = new WriteQueue(
    () => {
      counted.connections += 1;
      connection = openWriteConnection(file, 0);
      opened.push(connection.client);
      return connection;
    },
    {
      beforeBatch: () => {},
      beforeCommit: () => {
        counted.commits += 1;
      },
    },
  );
  const other = besides(file);
  const run = (sql: string) => connection?.client.run(sql);
  return {
    file,
    queue,
    counted,
    other,
    run,
    note: (text: string) => queue.push(async () => run(`INSERT INTO notes (text) VALUES ('${text}')`)),
    /** The texts that the other connection sees. */
    seen: () =>
      other
        .query<{ text: string }, []>("SELECT text FROM notes ORDER BY id")
        .all()
        .map(({ text }) => text),
    dangling: () =>
      queue.push(async () => {
        run("PRAGMA defer_foreign_keys = ON");
        run("INSERT INTO replies (note_id) VALUES (0)");
      }),
  };
}
