import { sql } from "drizzle-orm";
import { events } from "../../db/schema.ts";
import { maxBatchBytes } from "../core/pauses.ts";

/** Size of the properties of an event, in bytes. */
export const eventBytes = sql<number>`coalesce(octet_length(${events.properties}), 0)`;

/** The first rows, at least one, whose sizes fit into a batch. */
export function limitBytes<R extends { size: number }>(rows: R[]): R[] {
  let size = 0;
  const end = rows.findIndex((event, index) => {
    size += event.size;
    return index > 0 && size > maxBatchBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
