import type { Database } from "bun:sqlite";

/** What a database declares: for each table a line for each property, in a form that does not depend on the DDL's text. */
export type Shape = Record<string, string[]>;

type TableRow = { name: string; strict: number; wr: number };
type ColumnRow = {
  cid: number;
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
  hidden: number;
};
type IndexRow = { name: string; unique: number; origin: string; partial: number };
type IndexColumnRow = { seqno: number; name: string | null; desc: number; coll: string; key: number };
type ForeignKeyRow = {
  id: number;
  seq: number;
  table: string;
  from: string;
  to: string | null;
  on_update: string;
  on_delete: string;
  match: string;
};

export function shapeOf(client: Database): Shape {
  const tables = client
    .query<TableRow, []>(
      "SELECT name, strict, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migrations'",
    )
    .all();
  const others = client
    .query<{ name: string }, []>(
      "SELECT type || ' ' || name AS name FROM sqlite_schema WHERE type NOT IN ('table', 'index')",
    )
    .all();
  return {
    ...Object.fromEntries(tables.map((table) => [table.name, linesOf(client, table)])),
    "views and triggers": others.map(({ name }) => name),
  };
}

/** The lines that one of two databases has and the other has not. */
export function differencesOf(one: Shape, other: Shape): string[] {
  const lines = (shape: Shape) =>
    Object.entries(shape).flatMap(([table, of]) => [
      `table ${table}`,
      ...of.map((line) => `${table}: ${line}`),
    ]);
  const [here, there] = [lines(one), lines(other)];
  return [
    ...missing(here, there).map((line) => `- ${line}`),
    ...missing(there, here).map((line) => `+ ${line}`),
  ];
}

/** The lines that occur more often here than in the other list. */
function missing(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function linesOf(client: Database, { name, strict, wr }: TableRow): string[] {
  const sql = sqlOf(client, name);
  return [
    `options: strict=${strict} without-rowid=${wr} autoincrement=${/\bAUTOINCREMENT\b/i.test(sql)}`,
    ...columnsOf(client, name),
    ...indexesOf(client, name),
    ...foreignKeysOf(client, name),
    ...checksOf(sql).map((check) => `check ${check}`),
  ];
}

function columnsOf(client: Database, table: string): string[] {
  return client
    .query<ColumnRow, [string]>("SELECT * FROM pragma_table_xinfo(?) ORDER BY cid")
    .all(table)
    .map(
      ({ cid, name, type, notnull, dflt_value, pk, hidden }) =>
        `column ${cid} ${name} ${type} notnull=${notnull} default=${dflt_value} pk=${pk} hidden=${hidden}`,
    );
}

/** Indexes by name, except those of UNIQUE and PRIMARY KEY, whose names depend on the order of the text. */
function indexesOf(client: Database, table: string): string[] {
  return client
    .query<IndexRow, [string]>("SELECT * FROM pragma_index_list(?)")
    .all(table)
    .map(({ name, unique, origin, partial }) => {
      const columns = client
        .query<IndexColumnRow, [string]>("SELECT * FROM pragma_index_xinfo(?) ORDER BY seqno")
        .all(name)
        .map((column) => `${column.name}/${column.desc}/${column.coll}/${column.key}`);
      const where = /\bWHERE\b(.*)$/is.exec(sqlOf(client, name))?.[1] ?? "";
      const shownName = origin === "c" ? name : origin;
      return `index ${shownName} unique=${unique} partial=${partial} (${columns.join(", ")}) where ${normalize(where)}`;
    });
}

function foreignKeysOf(client: Database, table: string): string[] {
  const rows = client
    .query<ForeignKeyRow, [string]>("SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq")
    .all(table);
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((key) => {
    const [first] = key;
    const columns = key.map(({ from, to }) => `${from}=${to}`).join(", ");
    return `foreign key to ${first?.table} (${columns}) ${first?.on_update}/${first?.on_delete}/${first?.match}`;
  });
}

function sqlOf(client: Database, name: string): string {
  const row = client.query<{ sql: string | null }, [string]>("SELECT sql FROM sqlite_schema WHERE name = ?");
  return row.get(name)?.sql ?? "";
}

/** The normalized expressions of every CHECK of a CREATE TABLE. */
function checksOf(sql: string): string[] {
  const text = sql.replaceAll(/--[^\n]*/g, "");
  return [...text.matchAll(/\bCHECK\s*\(/gi)].map(({ index, 0: opening }) => {
    const start = index + opening.length;
    return normalize(text.slice(start, closingOf(text, start)));
  });
}

/** The index of the parenthesis that closes the one before `start`. */
function closingOf(text: string, start: number): number {
  let depth = 1;
  for (const { 0: token, index } of text.slice(start).matchAll(/'(?:[^']|'')*'|[()]/g)) {
    if (token === "(") depth += 1;
    if (token === ")") depth -= 1;
    if (depth === 0) return start + index;
  }
  throw new Error(`a parenthesis is not closed: ${text}`);
}

/** One spelling for each expression: no quotes around names, no white space next to punctuation, keywords in capitals. */
function normalize(expression: string): string {
  return expression
    .split(/('(?:[^']|'')*')/)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part
            .replaceAll('"', "")
            .replaceAll(/\s+/g, " ")
            .replaceAll(/ ?([(),]) ?/g, "$1")
            .toUpperCase(),
    )
    .join("")
    .trim();
}
