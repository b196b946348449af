import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { pick } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { select } from "../../db/statements.ts";
import { temporaryFile } from "../support/world.ts";
import { clock } from "./files.ts";

test("a connection keeps 2,000 prepared statements, and prepares an older one again", async () => {
  const file = temporaryFile("accountd.db");
  await openDatabase(file, { clock, canCreate: true }).close();
  const connection = new Connection(file, { busyTimeoutMilliseconds: 0 });
  const prepare = spyOn(Database.prototype, "prepare");
  try {
    const statements = Array.from({ length: 2_100 }, () =>
      select(undefined, { fields: pick(organizations, "id"), from: organizations }),
    );
    for (const statement of statements) connection.all(statement, {});
    const natives = prepare.mock.results.map(({ value }) => value as { all(): unknown[] });
    const finalized = natives.filter((native) => {
      try {
        native.all();
        return false;
      } catch {
        return true;
      }
    });
    expect([natives.length, finalized.length]).toEqual([2_100, 100]);
    const [oldest] = statements;
    if (!oldest) throw new Error("no statement");
    expect(connection.all(oldest, {})).toEqual([]);
    expect(prepare).toHaveBeenCalledTimes(2_101);
  } finally {
    prepare.mockRestore();
    connection.close();
  }
});
