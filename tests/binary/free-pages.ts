import { Database } from "bun:sqlite";

/** Makes the file of a database larger by so many megabytes of random bytes, which no table uses. */
export function addFreePages(database: string, megabytes: number): void {
  const client = new Database(database, { readwrite: true });
  client.run("CREATE TABLE filler (bytes BLOB)");
  for (let i = 0; i < megabytes; i += 1) client.run("INSERT INTO filler VALUES (randomblob(1000000))");
  client.run("DROP TABLE filler");
  client.run("PRAGMA wal_checkpoint(TRUNCATE)");
  client.close();
}
