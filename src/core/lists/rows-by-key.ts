import { eq } from "drizzle-orm";
import { hasIndex, integerInput, isInJson, textInput } from "../../../db/expressions.ts";
import type { Row, SelectFields } from "../../../db/statements.ts";
import { select, type TenantStatement } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/tenant.ts";
import type { AnyList, OrderedRow } from "./definition.ts";

/** Returns a function that reads rows of a list in the order of their keys. `family` begins the names of its statements. */
export function readerByKey<F extends SelectFields>(definition: AnyList & { fields: F }, family: string) {
  const { from, key } = definition;
  const fields = { ...definition.fields, orderKey: key };
  type Rows = TenantStatement<OrderedRow<Row<F>>>;
  // Safe: `fields` are the definition's fields and the key.
  const one = select(`${family}.row`, {
    fields,
    from,
    where: eq(key, integerInput("key")),
  }) as unknown as Rows;
  // Without this index, SQLite can read all rows of the organization for a list of ids.
  const all = hasIndex(from, key)
    ? (select(`${family}.rows`, {
        fields,
        from,
        where: isInJson(key, textInput("keys")),
      }) as unknown as Rows)
    : undefined;

  return async (snapshot: TenantSnapshot, keys: readonly number[]): Promise<OrderedRow<Row<F>>[]> => {
    const rows = all
      ? await snapshot.all(all, { keys: JSON.stringify(keys) })
      : await Promise.all(keys.map((key) => snapshot.first(one, { key })));
    const byKey = new Map(rows.flatMap((row) => (row ? [[Number(row.orderKey), row] as const] : [])));
    return keys.flatMap((key) => byKey.get(key) ?? []);
  };
}
