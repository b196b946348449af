import "../../src/server/run.ts";
import "../../db/sqlite/engine.ts";
import { Connection } from "../../db/sqlite/connection.ts";
import { render } from "../../db/sqlite/prepared.ts";
import { definedStatements, statementNamed } from "../../db/statements.ts";

/** Prepares the statements with these names in its own process, as a reader thread does, and prints their SQL. */
const [database = "", namesFile = ""] = Bun.argv.slice(2);
const names: string[] = await Bun.file(namesFile).json();
const definedAtStart = definedStatements().length;
const connection = new Connection(database, { busyTimeoutMilliseconds: 0, isQueryOnly: true });
const prepared = names.map((name) => {
  const statement = statementNamed(name);
  const { sql, inputs } = render(statement);
  connection.client.prepare(sql);
  return { name: statement.name, sql, inputs, columns: statement.columns };
});
console.log(JSON.stringify({ definedAtStart, prepared }));
connection.close();
