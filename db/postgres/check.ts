import type { SQL } from "bun";
import { comparisons } from "../comparisons.ts";

/** The faults of one kind that are reported. */
const maxFaults = 100;
const dateOfDay = "to_char(to_timestamp(day * 86400) at time zone 'UTC', 'YYYY-MM-DD')";

/**
 * Compares stored counts and sums with the rows that they count, in one snapshot; returns the faults, one line each.
 * Damaged pages are found by the checksums of the server, and broken references cannot be stored.
 */
export function findFaults(sql: SQL, firstCompleteDay: number): Promise<string[]> {
  return sql.begin("isolation level repeatable read read only", async (tx) => {
    // The whole tables are read.
    await tx`set local statement_timeout = 0`;
    const faults: string[] = [];
    for (const query of comparisons({ dateOfDay, firstCompleteDay: String(firstCompleteDay) })) {
      const rows: unknown[][] = await tx.unsafe(`${query} LIMIT ${maxFaults}`).values();
      faults.push(...rows.map(([fault]) => String(fault)));
    }
    return faults;
  });
}
