import { getTableName } from "drizzle-orm";
import { copyTables } from "../../copy.ts";
import { UnusableDatabase } from "../../errors.ts";
import { tenantTables } from "../../tables.ts";
import { databaseStatus, withWritableDatabase } from "../file.ts";

/** A name, also folded, or an id. */
export type WantedOrganization = { text: string; foldedName: string };

const ofOrganizations = new Set(tenantTables.map(({ table }) => getTableName(table)));

/**
 * Inserts an organization of a backup, with all of its rows and their ids, into a database that has no organization with its id or
 * name, in one transaction. The caller has the lock of the database. Throws UnusableDatabase, also for another schema.
 */
export function insertOrganization(file: string, backup: string, wanted: WantedOrganization) {
  for (const path of [file, backup])
    if (databaseStatus(path).some(({ appliedAt }) => appliedAt === null))
      throw new UnusableDatabase(`${path} has the schema of another version. Run accountd migrate on it.`);
  return withWritableDatabase(file, ({ client }) => {
    client.query("ATTACH ? AS backup").run(backup);
    const find = (schema: string, condition: string, values: (string | number)[]) =>
      client
        .query<{ id: number; name: string; foldedName: string }, (string | number)[]>(
          `SELECT id, name, folded_name AS foldedName FROM ${schema}.organizations WHERE deleted_at IS NULL AND (${condition})`,
        )
        .get(...values);
    const { text, foldedName: wantedName } = wanted;
    const found = find("backup", "folded_name = ? OR cast(id AS TEXT) = ?", [wantedName, text]);
    if (!found) throw new UnusableDatabase(`The backup has no organization ${text}.`);
    const { id, name, foldedName } = found;
    const existing = client
      .query<{ id: number }, [number, string]>(
        "SELECT id FROM main.organizations WHERE id = ? OR folded_name = ?",
      )
      .get(id, foldedName);
    if (existing)
      throw new UnusableDatabase(
        `The database has organization ${existing.id} with the name or the id of ${name}. Export what you need, then run accountd organizations delete ${existing.id}.`,
      );
    let rows = 0;
    client
      .transaction(() => {
        for (const table of copyTables) {
          const isOrganization = table.name === "organizations";
          if (!isOrganization && !ofOrganizations.has(table.name)) continue;
          const columns = table.columns.map((column) => column.name).join(", ");
          const { changes } = client.run(
            `INSERT INTO main.${table.name} (${columns}) SELECT ${columns} FROM backup.${table.name} WHERE ${isOrganization ? "id" : "organization_id"} = ?`,
            [id],
          );
          rows += changes;
        }
      })
      .immediate();
    return { id, name, rows };
  });
}
