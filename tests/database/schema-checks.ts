import { Database } from "bun:sqlite";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { newDatabase } from "./files.ts";
import { shapeOf } from "./schema-shape.ts";

/** The expressions of the CHECKs by table. */
export type Checks = Readonly<Record<string, readonly string[]>>;

/** The CHECKs of the SQLite database that the migrations create, in the form of `shapeOf`. */
export async function migratedChecks(): Promise<Checks> {
  const client = new Database(await newDatabase(), { readonly: true });
  const shape = Object.entries(shapeOf(client));
  client.close();
  const prefix = "check ";
  return Object.fromEntries(
    shape.map(([table, lines]) => [
      table,
      lines.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : [])),
    ]),
  );
}

/** The texts that a CHECK such as `KIND = 'session' OR KIND = 'link'`, or with IN, permits for its column alone. */
export function permittedValues(check: string): { column: string; values: string[] } | undefined {
  const [, column = "", list] = /^(\w+) IN\(('[^()]*')\)$/.exec(check) ?? [];
  if (list !== undefined) return { column: column.toLowerCase(), values: textsOf(list) };
  const [, first = ""] = /^(\w+) = /.exec(check) ?? [];
  const isChain = check.split(" OR ").every((term) => new RegExp(`^${first} = '[^']*'$`).test(term));
  return isChain ? { column: first.toLowerCase(), values: textsOf(check) } : undefined;
}

function textsOf(list: string): string[] {
  return [...list.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text);
}

/** The values of each column with an enumeration in `db/schema.ts`, by `table.column`. */
export function enumerations(): Map<string, readonly string[]> {
  const tables = Object.values(schema).filter((value) => is(value, SQLiteTable));
  return new Map(
    tables.flatMap((table) => {
      const { name, columns } = getTableConfig(table);
      return columns.flatMap((column) =>
        column.enumValues ? [[`${name}.${column.name}`, column.enumValues] as const] : [],
      );
    }),
  );
}
