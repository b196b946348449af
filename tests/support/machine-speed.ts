import { Database } from "bun:sqlite";

/** Milliseconds that `referenceWork` takes on the two idle processors for which the documents give figures. */
const idleMilliseconds = 100;
const rows = Array.from({ length: 60_000 }, (_, i) => ({ id: `row-${i}`, name: `Company ${i}`, mrr: i }));

/** Parses, stores and reads rows: the kinds of work that a request consists of. */
function referenceWork(): void {
  using database = new Database(":memory:");
  database.run("CREATE TABLE rows (id TEXT PRIMARY KEY, name TEXT, mrr REAL)");
  const insert = database.query("INSERT INTO rows VALUES (?, ?, ?)");
  database.transaction(() => {
    for (const { id, name, mrr } of JSON.parse(JSON.stringify(rows)) as typeof rows)
      insert.run(id, name, mrr);
  })();
  database.query("SELECT * FROM rows ORDER BY name").all();
}

referenceWork(); // Compiles it: only later runs are measured.

/** How many times slower than an idle one the machine is at this moment; at least 1. */
export function slowness(): number {
  const start = performance.now();
  referenceWork();
  return Math.max(1, (performance.now() - start) / idleMilliseconds);
}
