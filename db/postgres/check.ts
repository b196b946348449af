import type { SQL } from "bun";
import { sharedAddresses } from "../addresses.ts";
import { comparisons } from "../comparisons.ts";

/** The faults, or notes, of one kind that are reported. */
const maxFaults = 100;
const dateOfDay = "to_char(to_timestamp(day * 86400) at time zone 'UTC', 'YYYY-MM-DD')";

/**
 * Compares stored counts and sums with the rows that they count, in one snapshot; returns the faults, one line each.
 * Damaged pages are found by the checksums of the server, and broken references cannot be stored.
 */
export function findFaults(
  sql: SQL,
  firstCompleteDay: number,
  onNote: (note: string) => void = () => {},
): Promise<string[]> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    // The whole tables are read.
    await tx`set local statement_timeout = 0`;
    const findLines = async (query: string) => {
      const rows: unknown[][] = await tx.unsafe(`${query} LIMIT ${maxFaults}`).values();
      return rows.map(([line]) => String(line));
    };
    (await findLines(sharedAddresses)).forEach(onNote);
    const faults: string[] = [];
    const terms = { dateOfDay, firstCompleteDay: String(firstCompleteDay), attributesIn };
    for (const query of comparisons(terms)) faults.push(...(await findLines(query)));
    return faults;
  });
}

/** See `ComparisonTerms`. */
function attributesIn(table: string): string {
  return `SELECT t.organization_id, t.id AS row_id, e.name, json_typeof(e.value) AS type,
    CASE json_typeof(e.value) WHEN 'string' THEN e.value #>> '{}' END AS text,
    CASE json_typeof(e.value) WHEN 'number' THEN cast(e.value #>> '{}' AS double precision)
      WHEN 'boolean' THEN CASE e.value #>> '{}' WHEN 'true' THEN 1 ELSE 0 END END AS number
    FROM ${table} AS t, json_each(cast(t.attributes AS json)) AS e (name, value)`;
}
