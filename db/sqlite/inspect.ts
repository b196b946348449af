import { newestTimeSql } from "../clock-gaps.ts";
import { createdAtSql, type Inspection } from "../inspection.ts";
import { withReadableDatabase } from "./file.ts";
import { fileSize } from "./wal.ts";

/** Reads a file next to its server, or without one, and changes nothing. Throws UnusableDatabase. */
export function inspectFile(file: string): Inspection {
  return withReadableDatabase(file, ({ client }) => {
    const timeOf = (sql: string) => client.query<{ time: number | null }, []>(sql).get()?.time ?? null;
    const { version } =
      client.query<{ version: string }, []>("SELECT sqlite_version() AS version").get() ?? {};
    return {
      engine: `SQLite ${version}`,
      bytes: fileSize(file) + fileSize(`${file}-wal`),
      createdAt: timeOf(createdAtSql),
      newestAt: timeOf(newestTimeSql),
    };
  });
}
